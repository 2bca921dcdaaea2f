//! The trie, the errors, and encoding there and back.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::kinds::kind_of;
use super::*;

fn specials() -> Vec<(SpecialToken, TokenId)> {
    SpecialToken::ALL.into_iter().zip(900..).collect()
}

fn single_bytes() -> Vec<(TokenId, Vec<u8>)> {
    (0..=255).map(|byte: u8| (u32::from(byte), vec![byte])).collect()
}

/// The trie is the set of prefixes, in order, with the tokens where they belong.
fn check_trie(vocabulary: &Vocabulary, tokens: &BTreeMap<Vec<u8>, TokenId>) {
    let prefixes: BTreeSet<&[u8]> = tokens.keys().flat_map(|t| (1..=t.len()).map(|n| &t[..n])).collect();
    let trie = vocabulary.trie();
    assert_eq!(trie.len() as usize, prefixes.len());
    let mut path = Vec::new();
    for (index, prefix) in (0..).zip(&prefixes) {
        let node = trie.node(index);
        path.truncate(node.parent_depth());
        path.push(node.byte);
        assert_eq!(path, *prefix);
        assert_eq!(node.token, tokens.get(*prefix).copied());
        let end = index + prefixes.range(*prefix..).take_while(|p| p.starts_with(prefix)).count() as u32;
        assert_eq!(node.end, end);
    }
    for (bytes, id) in tokens {
        assert_eq!(vocabulary.token_bytes(*id), Some(&bytes[..]));
    }
    assert_eq!(vocabulary.token_count(), tokens.len());
    assert_eq!(vocabulary.longest_token(), tokens.keys().map(Vec::len).max().unwrap());
}

proptest! {
    #[test]
    fn any_vocabulary(words in proptest::collection::btree_set(proptest::collection::vec(97_u8..100, 2..6), 0..60)) {
        let ids = (1_000..).step_by(3); // past the specials, with gaps
        let mut tokens: BTreeMap<Vec<u8>, TokenId> = words.into_iter().zip(ids).collect();
        tokens.extend(single_bytes().into_iter().map(|(id, bytes)| (bytes, id)));
        let by_bytes = tokens.iter().map(|(bytes, id)| (*id, bytes.clone()));
        let vocabulary = Vocabulary::new(by_bytes, specials()).unwrap();
        check_trie(&vocabulary, &tokens);
        let width = tokens.values().copied().max().unwrap().max(906) + 1;
        prop_assert_eq!(vocabulary.width(), width as usize);
        for id in (256..900).chain(907..1_000).chain([1_001, width, u32::MAX]) {
            prop_assert_eq!((vocabulary.token_bytes(id), vocabulary.special(id)), (None, None));
        }
    }
}

/// How many characters a text begins.
fn begun(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

/// The plain tokens that begin at most so many characters, found by their bytes.
#[test]
fn plain_words_are_those_of_plain_text() {
    let vocabulary = Vocabulary::o200k_harmony();
    let is_text =
        |bytes: &[u8]| str::from_utf8(bytes).map_or_else(|error| error.error_len().is_none(), |_| true);
    let is_plain = |bytes: &[u8]| bytes.iter().all(|byte| Vocabulary::is_plain(*byte)) && is_text(bytes);
    for most in [0, 1, 2, 7, 8, 13, 14, 15, 16, 17, 63, 127, 254, 300, u32::MAX] {
        let (words, longer) = vocabulary.plain_within(most);
        let mut words = words.into_owned();
        longer.iter().for_each(|id| words[*id as usize / 32] &= !(1 << (id % 32)));
        for id in 0..words.len() as TokenId * 32 {
            let fits = |bytes| is_plain(bytes) && begun(bytes) <= most as usize;
            let expected = vocabulary.token_bytes(id).is_some_and(fits);
            assert_eq!(words[id as usize / 32] >> (id % 32) & 1 == 1, expected, "{id} within {most}");
        }
    }
}

/// Each plain prefix is of one shape, and what can be said of a shape is so for all of its texts.
#[test]
fn shapes_are_of_all_plain_text() {
    let vocabulary = Vocabulary::o200k_harmony();
    let (trie, plain) = (vocabulary.trie(), vocabulary.plain());
    let (mut members, mut tokens) = (BTreeSet::new(), Vec::new());
    for place in 1..plain.len() {
        let shape = plain.shape(place);
        assert!(shape.end > place && shape.end <= plain.len());
        for &node in plain.members(place) {
            let text = vocabulary.prefix(node);
            assert!(members.insert(node) && text.iter().all(|byte| Vocabulary::is_plain(*byte)));
            assert_eq!(text.len(), usize::from(shape.depth));
            assert!((shape.first..=shape.last).contains(&trie.node(node).byte));
            assert_eq!(begun(text), usize::from(shape.characters));
            tokens.extend(trie.node(node).token);
        }
        assert_eq!(tokens.len(), plain.tokens(place..place + 1).end);
    }
    assert_eq!(tokens, &*plain.tokens);
}

/// What is said of all that is below a shape is what its members and breaks show.
#[test]
fn shapes_know_what_is_below_them() {
    let vocabulary = Vocabulary::o200k_harmony();
    let (plain, kinds) = (vocabulary.plain(), character_kinds());
    let bit = |character: &[u8]| 1_u64 << kind_of(&kinds, character);
    let bits = |text: &[u8]| {
        let characters = text.chunk_by(|_, byte| byte & 0xc0 == 0x80);
        characters.fold(0, |bits, character| bits | bit(character))
    };
    for place in 0..plain.len() {
        let shape = plain.shape(place);
        let texts =
            || (place..shape.end).flat_map(|at| plain.members(at)).map(|node| vocabulary.prefix(*node));
        let most = texts().map(begun).max().unwrap_or_default();
        assert_eq!(usize::from(shape.most), most, "{place}");
        let below = texts().map(|text| bits(&text[shape.depth.into()..]));
        let is_complete =
            plain.members(place).first().is_none_or(|node| str::from_utf8(vocabulary.prefix(*node)).is_ok());
        let expected = if is_complete { below.fold(0, |all, kind| all | kind) } else { u64::MAX };
        assert_eq!(shape.kinds, expected, "{place}");
        for (node, characters) in plain.breaks(place..place + 1) {
            let (_, text) = vocabulary.prefix(node).split_last().expect("a byte that is not plain");
            assert_eq!((text.len(), begun(text)), (shape.depth.into(), characters as usize));
        }
    }
}

#[test]
fn harmony_is_what_tiktoken_says() {
    let vocabulary = Vocabulary::o200k_harmony();
    let ranks = tiktoken_rs::o200k_harmony_singleton();
    let tokens: BTreeMap<Vec<u8>, TokenId> =
        (0..199_998).map(|id| (ranks.decode_bytes(&[id]).unwrap(), id)).collect();
    check_trie(&vocabulary, &tokens);
    assert_eq!((vocabulary.token_count(), vocabulary.longest_token()), (199_998, 128));
    assert_eq!((vocabulary.width(), vocabulary.trie().len()), (200_013, 421_660));
}

#[test]
fn other_harmony_ids_are_unknown() {
    let vocabulary = Vocabulary::o200k_harmony();
    for id in 199_998..201_200 {
        let special = SpecialToken::ALL.into_iter().find(|special| special.harmony_id() == id);
        assert_eq!((vocabulary.special(id), vocabulary.token_bytes(id)), (special, None));
    }
    for special in SpecialToken::ALL {
        assert_eq!(vocabulary.special_id(special), special.harmony_id());
    }
}

#[test]
fn errors_name_the_fault() {
    let check = |tokens: &[(TokenId, &[u8])], expected: VocabularyError, message: &str| {
        let all = single_bytes().into_iter().chain(tokens.iter().map(|(id, bytes)| (*id, bytes.to_vec())));
        let error = Vocabulary::new(all, specials()).unwrap_err();
        assert_eq!((error.to_string().as_str(), error), (message, expected));
    };
    check(&[(7, b"xy")], VocabularyError::DuplicateId { id: 7 }, "token id 7 is given twice");
    check(&[(903, b"xy")], VocabularyError::DuplicateId { id: 903 }, "token id 903 is given twice");
    check(&[(300, b"")], VocabularyError::EmptyToken { id: 300 }, "token 300 has no bytes");
    let same = VocabularyError::DuplicateBytes { first: 300, second: 301, bytes: b"\xffy".to_vec() };
    check(&[(301, b"\xffy"), (300, b"\xffy")], same, r#"tokens 300 and 301 are both "\xffy""#);
    let long = VocabularyError::LongToken { id: 300, len: 256, limit: 255 };
    check(&[(300, &[b'x'; 256])], long, "token 300 has 256 bytes, more than 255");
    let large = VocabularyError::LargeId { id: 1 << 24, limit: 16_777_214 };
    check(&[(1 << 24, b"xy")], large, "token id 16777216 is larger than 16777214");
}

#[test]
fn single_bytes_and_specials_must_be_there() {
    let check = |bytes: usize, specials: Vec<(SpecialToken, TokenId)>, expected: VocabularyError| {
        assert_eq!(Vocabulary::new(single_bytes().into_iter().take(bytes), specials).unwrap_err(), expected);
    };
    check(0, specials(), VocabularyError::MissingByte { byte: 0 });
    check(255, specials(), VocabularyError::MissingByte { byte: 255 });
    check(256, specials()[1..].to_vec(), VocabularyError::MissingSpecial { special: SpecialToken::Return });
    let twice = [specials(), vec![(SpecialToken::End, 990)]].concat();
    check(256, twice, VocabularyError::DuplicateSpecial { special: SpecialToken::End });
    let one_id = SpecialToken::ALL.map(|special| (special, 900)).to_vec();
    check(256, one_id, VocabularyError::DuplicateId { id: 900 });
    let large = SpecialToken::ALL.into_iter().zip(LARGEST_ID + 1..).collect();
    check(256, large, VocabularyError::LargeId { id: LARGEST_ID + 1, limit: LARGEST_ID });
}

#[test]
fn texts_round_trip() {
    let vocabulary = Vocabulary::o200k_harmony();
    for text in [
        "",
        "The quick brown fox; {\"a\": [1, -2.5e3, null]}\r\n\t  ",
        "Größe, œuvre, ¿qué?, Ελλάδα, Україна, ქართული",
        "日本語のテキスト、한국어, 中文字符, ภาษาไทย, हिन्दी, العربية, עברית",
        "👩‍👩‍👧‍👦 🏳️‍🌈 e\u{301} \u{0} \u{feff} \u{10ffff} 𝔘𝔫𝔦",
        "<|end|> is text, and so is <|endoftext|>",
    ] {
        let tokens = vocabulary.encode(text).unwrap();
        assert!(tokens.iter().all(|token| vocabulary.token_bytes(*token).is_some()), "{text}");
        assert_eq!(vocabulary.decode(&tokens), text);
    }
}

#[test]
fn white_space_of_any_length_is_encoded() {
    let vocabulary = Vocabulary::o200k_harmony();
    for space in [" ", "\n", " \u{a0}", "\t\u{2003}\r\n"] {
        let text = format!("a{}b", space.repeat(1_200_000));
        assert_eq!(vocabulary.decode(&vocabulary.encode(&text).unwrap()), text);
    }
}

#[test]
fn special_spellings() {
    let vocabulary = Vocabulary::o200k_harmony();
    let check = |text: &str, expected: &[SpecialToken]| {
        let tokens = vocabulary.encode_with_special(text).unwrap();
        assert_eq!(
            tokens.iter().filter_map(|token| vocabulary.special(*token)).collect::<Vec<_>>(),
            expected
        );
        assert_eq!(vocabulary.decode(&tokens), text);
    };
    use SpecialToken::{Channel, End, Message, Return, Start};
    check("<|start|>assistant<|channel|>final<|message|>é<|return|>", &[Start, Channel, Message, Return]);
    check("<|<|end|>|><|end|<|end|>", &[End, End]);
    check("<|endoftext|><|reserved_200000|><|END|><| end|><|", &[]);
    assert_eq!(
        vocabulary.encode_with_special("<|endoftext|><|reserved_201087|>"),
        Some(vec![199_999, 201_087])
    );
    check("", &[]);
}

#[test]
fn decoding_is_for_people() {
    let vocabulary = Vocabulary::new(single_bytes(), specials()).unwrap();
    assert_eq!(vocabulary.decode(&[0x61, 0xff, 904, 5_000]), "a\u{fffd}<|end|><|5000|>");
    assert_eq!(vocabulary.encode("a"), None);
    assert_eq!(vocabulary.encode_with_special("<|end|>"), None);
}

/// Without an encoder, text is said with the longest tokens that fit; with one, as it encodes.
#[test]
fn any_vocabulary_can_spell_text_with_special_tokens() {
    let longer = [(300, b"ab".to_vec()), (301, b"abc".to_vec()), (302, "é".into())];
    let vocabulary =
        Vocabulary::new(single_bytes().into_iter().chain(longer), specials()).expect("each byte is there");
    for (text, expected) in [
        ("", &[][..]),
        ("<|end|>", &[904]),
        ("abcab<|end|>é<|<|end|>|>", &[301, 300, 904, 302, 60, 124, 904, 124, 62]),
        ("<|endoftext|>", &[60, 124, 101, 110, 100, 111, 102, 116, 101, 120, 116, 124, 62]),
    ] {
        assert_eq!(vocabulary.spell_with_special(text), expected, "{text}");
        assert_eq!(vocabulary.decode(expected), text);
    }
    let (harmony, text) = (Vocabulary::o200k_harmony(), "Hello<|end|> world<|endoftext|>");
    assert_eq!(Some(harmony.spell_with_special(text)), harmony.encode_with_special(text));
}

#[test]
fn is_shared_between_threads() {
    fn check<T: Send + Sync + Clone>(_: &T) {}
    check(&Vocabulary::o200k_harmony());
    assert_eq!(format!("{:?}", Vocabulary::o200k_harmony()), "Vocabulary(199998 tokens)");
}

/// Bars that begin no special token cost no more than other text, however many there are.
#[test]
fn special_tokens_are_found_among_many_bars() {
    let vocabulary = Vocabulary::o200k_harmony();
    for id in 199_998..201_088 {
        let spelled = vocabulary.decode(&[id]);
        assert_eq!(vocabulary.encode_with_special(&spelled).expect("it has an encoder"), [id], "{spelled}");
    }
    let bars = "<|é ".repeat(100_000);
    let tokens = vocabulary.encode_with_special(&format!("{bars}<|end|>{bars}")).expect("it has an encoder");
    assert_eq!(tokens.iter().filter(|token| **token == 200_007).count(), 1);
    assert_eq!(vocabulary.decode(&tokens), format!("{bars}<|end|>{bars}"));
}
