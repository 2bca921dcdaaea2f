/*
 * harmony-mask in C and C++: token masks that let gpt-oss say only valid Harmony.
 *
 * Handles.  Each belongs to the caller until it is given to its `_free`, which takes NULL, too. A grammar
 * keeps what it needs of its compiler, and a matcher of its grammar, so they may be freed in any order. As
 * everywhere in C, a handle that was freed must not be used, and memory must be as large as the number beside
 * it says.
 *
 * Threads.  A compiler and a grammar may be used by any number of threads at once. A matcher may be used by
 * one at a time, for anything. Nothing is kept per thread.
 *
 * Texts.  What is passed is UTF-8 with its length in bytes; NULL does where the length is 0. What is returned
 * ends with a NUL. The texts of an error belong to the error; all others belong to the caller, who frees each
 * with hm_text_free.
 *
 * Errors.  What may fail has `error` as its last parameter, and returns NULL or false where it failed. Unless
 * `error` is NULL, each call writes to it: the error, which the caller frees with hm_error_free, or NULL if
 * there is none. A call that failed changed nothing, and wrote nothing else. A handle that is NULL is an
 * error of kind `invalid_pointer`; functions without `error` say what they return then.
 *
 * Bugs.  A panic of the library does not unwind into C: it is an error of kind `internal`, and functions
 * without `error` return what they return for NULL. Rust prints a line to stderr then.
 *
 * Kinds of errors (hm_error_kind), beside those of compiling (`not_json`, `unsatisfiable`, `unsupported`,
 * `limit` and so on):
 *
 *   invalid_pointer   a handle is NULL, or memory is NULL or not aligned
 *   not_utf8          a text is not UTF-8
 *   unknown_limit     there is no limit of that name
 *   unknown_option    there is no option of that name
 *   prompt_rejected   the prompt's turn is not the beginning of anything that the grammar allows
 *   token_rejected    the token may not come next
 *   too_narrow        a mask, or an array of logits, has no room for all tokens
 *   nothing_follows   no token may come next: stop
 *   rollback          fewer tokens were accepted
 *   deadline          the completion does not fit
 *   internal          a bug in harmony-mask
 */
#ifndef HARMONY_MASK_H
#define HARMONY_MASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Compilers warn where the answer of a function that may fail is not looked at. */
#if defined(__GNUC__)
#define HM_CHECKED __attribute__((warn_unused_result))
#else
#define HM_CHECKED
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The logits that gpt-oss gives for each token, and the words of a mask of them. */
enum { HM_LOGITS = 201088, HM_MASK_WORDS = HM_LOGITS / 32 };

typedef struct hm_compiler hm_compiler; /* one per process: its grammars share tables */
typedef struct hm_grammar hm_grammar;   /* one per request */
typedef struct hm_matcher hm_matcher;   /* one per sequence */
typedef struct hm_error hm_error;

/* --- Compiling ------------------------------------------------------------------------------------------ */

/*
 * A compiler for the vocabulary of gpt-oss.
 *
 * `limits` is a JSON object of counts, such as {"work": 100000}, or empty for the defaults. Its names are
 * those that errors of kind `limit` give: the fields of the crate's `Limits`.
 */
HM_CHECKED hm_compiler *hm_compiler_new(const char *limits, size_t limits_len, hm_error **error);
void hm_compiler_free(hm_compiler *compiler);

/*
 * The grammar of what may follow <|start|>assistant under a request: the JSON body of an OpenAI request, in
 * the shape of Responses or of Chat Completions.
 *
 * Everything is checked here, so masks cannot fail.
 */
HM_CHECKED hm_grammar *hm_compile_request(const hm_compiler *compiler, const char *request,
    size_t request_len, hm_error **error);

/*
 * The grammar of the JSON texts of a schema's values, without messages around them. `options` is a JSON
 * object with fields of a request's `harmony` object, such as {"whitespace": "compact"}, or empty for the
 * defaults. Those are `whitespace`, `property_order`, `formats`, `strict` and `forbid_spelled_tokens`; the
 * message of an error says where it is of the options, and its pointer is one into them then.
 */
HM_CHECKED hm_grammar *hm_compile_schema(const hm_compiler *compiler, const char *schema, size_t schema_len,
    const char *options, size_t options_len, hm_error **error);

/*
 * The grammar of the texts of a Lark grammar. The options are for the JSON of `%json` in it, and
 * `forbid_spelled_tokens` is for all of it.
 */
HM_CHECKED hm_grammar *hm_compile_lark(const hm_compiler *compiler, const char *grammar, size_t grammar_len,
    const char *options, size_t options_len, hm_error **error);

/*
 * The grammar of the texts that a regular expression matches from end to end. Of the options only
 * `forbid_spelled_tokens` matters.
 */
HM_CHECKED hm_grammar *hm_compile_regex(const hm_compiler *compiler, const char *pattern, size_t pattern_len,
    const char *options, size_t options_len, hm_error **error);

/*
 * What the author of the request should know, as a JSON array of strings: fields of `harmony` that do not
 * exist, properties that can never occur.
 */
HM_CHECKED char *hm_grammar_warnings(const hm_grammar *grammar, hm_error **error);
void hm_grammar_free(hm_grammar *grammar);

/* --- One sequence --------------------------------------------------------------------------------------- */

/*
 * A matcher that goes on where a prompt ends, anywhere in the assistant's turn; give it all tokens of the
 * prompt. Without a prompt (NULL, 0) it begins after <|start|>assistant. Of a grammar without messages, the
 * prompt is the beginning of the text.
 */
HM_CHECKED hm_matcher *hm_matcher_new(const hm_grammar *grammar, const uint32_t *prompt, size_t prompt_len,
    hm_error **error);

/* An independent matcher in the same state. */
HM_CHECKED hm_matcher *hm_matcher_fork(const hm_matcher *matcher, hm_error **error);
void hm_matcher_free(hm_matcher *matcher);

/*
 * Writes a mask into `row`: bit t % 32 of word t / 32 says whether token t may come next. All `words` are
 * written; they need not be initialised. HM_MASK_WORDS are right for gpt-oss.
 *
 * The mask is empty when the matcher is finished. With a deadline, it can be empty earlier, where the text
 * may stop (hm_matcher_is_accepting); stop then, too.
 */
HM_CHECKED bool hm_matcher_fill_mask(const hm_matcher *matcher, uint32_t *row, size_t words,
    hm_error **error);

/*
 * Sets the logits of all tokens that may not come next to -INFINITY; logit t is that of token t. `count` is
 * HM_LOGITS for gpt-oss.
 *
 * Where the mask is empty, it fails with `nothing_follows` and leaves the logits as they are, as nothing
 * could be sampled.
 */
HM_CHECKED bool hm_matcher_apply(const hm_matcher *matcher, float *logits, size_t count, hm_error **error);

/*
 * Writes the number of the mask that would be filled now, for engines that keep masks on their device: equal
 * masks of one compiler have one number, counted from 0.
 *
 * False, and nothing is written, where it has none: a deadline or a cap narrows it, the matcher is finished
 * or NULL, or 65,536 masks have numbers. `id` may be NULL.
 */
bool hm_matcher_mask_id(const hm_matcher *matcher, size_t *id);

/* Takes a token. One that may not come next is refused, with words that say what was expected. */
HM_CHECKED bool hm_matcher_accept(hm_matcher *matcher, uint32_t token, hm_error **error);

/*
 * How many of these tokens could be taken, one after the other. The matcher stays where it is. 0 where a
 * pointer is NULL.
 */
size_t hm_matcher_validate_tokens(const hm_matcher *matcher, const uint32_t *tokens, size_t count);

/* Takes back the last `count` tokens, also past the end. */
HM_CHECKED bool hm_matcher_rollback(hm_matcher *matcher, size_t count, hm_error **error);

/* Takes back everything that was accepted, and the deadline. Does nothing for NULL. */
void hm_matcher_reset(hm_matcher *matcher);

/* Whether the text is complete and nothing can follow. True for NULL, so that loops end. */
bool hm_matcher_is_finished(const hm_matcher *matcher);

/*
 * Whether the text may stop here. A turn of messages mostly may when it is finished, the text of a bare
 * grammar wherever it is whole. False for NULL.
 */
bool hm_matcher_is_accepting(const hm_matcher *matcher);

/*
 * The special tokens that may come next and after which the text may stop, <|return|> and <|call|>. Writes as
 * many as there is room for, and returns how many there are: ask with capacity 0 (NULL is fine then) for the
 * number alone. 0 for NULL.
 */
size_t hm_matcher_stop_tokens(const hm_matcher *matcher, uint32_t *tokens, size_t capacity);

/*
 * The tokens that must come next, which an engine may append without asking the model; this does not accept
 * them. Writes and returns as hm_matcher_stop_tokens. The first call of a process that meets forced text
 * loads the encoder, in some 0.4 s.
 */
size_t hm_matcher_forced_tokens(const hm_matcher *matcher, uint32_t *tokens, size_t capacity);

/*
 * Narrows the masks so that the text is complete within `count` more tokens, whatever is sampled. Fails with
 * `deadline` where the shortest completion (in bytes) has more. May be called again; a rollback leaves it
 * where it is.
 */
HM_CHECKED bool hm_matcher_finish_within(hm_matcher *matcher, size_t count, hm_error **error);

/*
 * Writes how many more tokens there may be. False, and nothing is written, where there is no deadline, or for
 * NULL. `count` may be NULL.
 */
bool hm_matcher_tokens_left(const hm_matcher *matcher, size_t *count);

/*
 * The messages of the turn so far, as a JSON array of objects with `role`, `channel`, `recipient`,
 * `content_type`, `content` and `end` (`return`, `call`, `end`, or null while the message is unfinished).
 * Reads the whole turn: not for every token.
 */
HM_CHECKED char *hm_matcher_transcript(const hm_matcher *matcher, hm_error **error);

/*
 * In words: `finished`, `may stop here`, or what the unfinished text is in the middle of, and what may come
 * next.
 */
HM_CHECKED char *hm_matcher_status(const hm_matcher *matcher, hm_error **error);

/* --- Texts and errors ----------------------------------------------------------------------------------- */

void hm_text_free(char *text);

/* A short stable name of what is wrong, see above. Of no error (NULL) all three texts are empty. */
const char *hm_error_kind(const hm_error *error);

/* What is wrong, in words. They quote parts of the input, so treat them as you treat the input. */
const char *hm_error_message(const hm_error *error);

/* Where in the request or schema it is, as a JSON pointer. Empty where it is nowhere or everywhere. */
const char *hm_error_pointer(const hm_error *error);
void hm_error_free(hm_error *error);

#ifdef __cplusplus
}
#endif

#endif
