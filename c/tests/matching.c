/* Matchers, mostly over small regular expressions. */
#include "check.h"

#include <math.h>

/* "a", "b", "c" and "ab" as the tokenizer numbers them. */
enum { A = 64, B = 65, C = 66, AB = 378 };

static void masks_say_what_may_come(void) {
    hm_matcher *matcher = of_regex("(ab)*c");
    uint32_t *row = (uint32_t *)malloc(HM_MASK_WORDS * sizeof(uint32_t));
    float *logits = (float *)calloc(HM_LOGITS, sizeof(float));
    hm_error *error = NULL;
    CHECK(hm_matcher_fill_mask(matcher, row, HM_MASK_WORDS, &error) && error == NULL);
    CHECK(hm_matcher_apply(matcher, logits, HM_LOGITS, &error) && error == NULL);
    for (uint32_t token = 0; token < HM_LOGITS; token++) {
        CHECK(has(row, token) == (logits[token] == 0));
        CHECK(has(row, token) || (isinf(logits[token]) && logits[token] < 0));
        CHECK(has(row, token) == (hm_matcher_validate_tokens(matcher, &token, 1) == 1));
    }
    CHECK(has(row, A) && has(row, C) && !has(row, B) && has(row, AB));
    CHECK(!hm_matcher_fill_mask(matcher, row, HM_MASK_WORDS - 40, &error));
    check_error(error, "too_narrow");
    CHECK(!hm_matcher_apply(matcher, logits, HM_LOGITS / 2, &error));
    check_error(error, "too_narrow");
    CHECK(!hm_matcher_fill_mask(matcher, NULL, HM_MASK_WORDS, &error));
    check_error(error, "invalid_pointer");
    free(logits);
    free(row);
    hm_matcher_free(matcher);
}

/* Words of a mask that are all ones, all zeros, and mixed. */
static void logits_follow_the_mask(const char *pattern) {
    hm_matcher *matcher = of_regex(pattern);
    uint32_t *row = (uint32_t *)malloc(HM_MASK_WORDS * sizeof(uint32_t));
    float *logits = (float *)malloc(HM_LOGITS * sizeof(float));
    for (size_t token = 0; token < HM_LOGITS; token++) {
        logits[token] = (float)token;
    }
    CHECK(hm_matcher_fill_mask(matcher, row, HM_MASK_WORDS, NULL));
    CHECK(hm_matcher_apply(matcher, logits, HM_LOGITS, NULL));
    for (uint32_t token = 0; token < HM_LOGITS; token++) {
        CHECK(has(row, token) ? logits[token] == (float)token : isinf(logits[token]) && logits[token] < 0);
    }
    free(logits);
    free(row);
    hm_matcher_free(matcher);
}

static void equal_masks_have_one_number(void) {
    hm_matcher *matcher = of_regex("(ab)*c");
    size_t before = 0, middle = 0, after = 0;
    CHECK(hm_matcher_mask_id(matcher, &before));
    CHECK(hm_matcher_accept(matcher, A, NULL) && hm_matcher_mask_id(matcher, &middle));
    CHECK(hm_matcher_accept(matcher, B, NULL) && hm_matcher_mask_id(matcher, &after));
    CHECK(before == after && before != middle && hm_matcher_mask_id(matcher, NULL));
    hm_matcher_free(matcher);
}

static void tokens_are_taken_and_taken_back(void) {
    hm_matcher *matcher = of_regex("(ab)*c");
    hm_error *error = NULL;
    const uint32_t tokens[] = {AB, A, B, B};
    CHECK(hm_matcher_validate_tokens(matcher, tokens, 4) == 3);
    CHECK(!hm_matcher_accept(matcher, B, &error));
    check_error(error, "token_rejected");
    /* Some libraries have negative ids for no token. */
    CHECK(!hm_matcher_accept(matcher, (uint32_t)-1, &error));
    check_error(error, "token_rejected");
    CHECK(hm_matcher_accept(matcher, AB, &error) && error == NULL);
    hm_matcher *fork = hm_matcher_fork(matcher, &error);
    CHECK(fork != NULL && error == NULL);
    CHECK(hm_matcher_accept(matcher, C, &error) && hm_matcher_is_accepting(matcher));
    CHECK(!hm_matcher_is_accepting(fork));
    CHECK(!hm_matcher_rollback(matcher, 3, &error));
    check_error(error, "rollback");
    CHECK(hm_matcher_rollback(matcher, 1, &error) && !hm_matcher_is_accepting(matcher));
    hm_matcher_reset(matcher);
    CHECK(!hm_matcher_rollback(matcher, 1, NULL));
    hm_matcher_free(matcher);
    CHECK(hm_matcher_accept(fork, C, &error));
    hm_matcher_free(fork);
}

static void the_end_is_told(void) {
    hm_matcher *matcher = of_regex("c");
    uint32_t stops[4] = {7, 7, 7, 7};
    hm_error *error = NULL;
    CHECK(hm_matcher_stop_tokens(matcher, stops, 4) == 0 && stops[0] == 7);
    CHECK(hm_matcher_accept(matcher, C, NULL));
    char *status = hm_matcher_status(matcher, &error);
    CHECK(status != NULL && error == NULL && strcmp(status, "may stop here") == 0);
    hm_text_free(status);
    CHECK(hm_matcher_stop_tokens(matcher, stops, 4) == 1 && stops[0] == RETURN && stops[1] == 7);
    CHECK(hm_matcher_accept(matcher, RETURN, NULL) && hm_matcher_is_finished(matcher));
    CHECK(!hm_matcher_mask_id(matcher, NULL));
    float *logits = (float *)calloc(HM_LOGITS, sizeof(float));
    CHECK(!hm_matcher_apply(matcher, logits, HM_LOGITS, &error) && logits[0] == 0);
    check_error(error, "nothing_follows");
    free(logits);
    hm_matcher_free(matcher);
}

static void what_must_come_is_told(void) {
    hm_matcher *matcher = of_regex("abc abc abc");
    /* "abc" and " abc"; the last word may be cut otherwise. */
    uint32_t forced[2] = {7, 7};
    CHECK(hm_matcher_forced_tokens(matcher, NULL, 0) == 2);
    CHECK(hm_matcher_forced_tokens(matcher, forced, 1) == 2 && forced[0] == 26682 && forced[1] == 7);
    CHECK(hm_matcher_forced_tokens(matcher, forced, 2) == 2 && forced[1] == 75094);
    CHECK(hm_matcher_validate_tokens(matcher, forced, 2) == 2);
    hm_matcher_free(matcher);
}

static void deadlines_are_kept(void) {
    hm_matcher *matcher = of_regex("[a-c]{4,}");
    size_t left = 7;
    hm_error *error = NULL;
    CHECK(!hm_matcher_tokens_left(matcher, &left) && left == 7);
    CHECK(!hm_matcher_finish_within(matcher, 0, &error));
    check_error(error, "deadline");
    CHECK(hm_matcher_finish_within(matcher, 4, &error) && error == NULL);
    CHECK(hm_matcher_tokens_left(matcher, &left) && left == 4);
    for (int i = 0; i < 4; i++) {
        CHECK(hm_matcher_accept(matcher, B, &error));
    }
    CHECK(hm_matcher_is_accepting(matcher) && !hm_matcher_is_finished(matcher));
    uint32_t *row = (uint32_t *)malloc(HM_MASK_WORDS * sizeof(uint32_t));
    CHECK(hm_matcher_fill_mask(matcher, row, HM_MASK_WORDS, NULL));
    for (size_t word = 0; word < HM_MASK_WORDS; word++) {
        CHECK(row[word] == 0);
    }
    free(row);
    hm_matcher_free(matcher);
}

static void a_turn_goes_on_after_a_prompt(void) {
    hm_compiler *compiler = new_compiler();
    hm_grammar *grammar = hm_compile_request(compiler, "{}", 2, NULL);
    /* <|channel|>final<|message|> */
    const uint32_t header[] = {CHANNEL, 17196, MESSAGE}, wrong[] = {CHANNEL, CHANNEL};
    hm_error *error = NULL;
    CHECK(hm_matcher_new(grammar, wrong, 2, &error) == NULL);
    check_error(error, "prompt_rejected");
    hm_matcher *matcher = hm_matcher_new(grammar, header, 3, &error);
    CHECK(matcher != NULL && error == NULL);
    hm_grammar_free(grammar);
    hm_compiler_free(compiler);
    CHECK(hm_matcher_accept(matcher, A, NULL) && hm_matcher_accept(matcher, RETURN, NULL));
    char *messages = hm_matcher_transcript(matcher, &error);
    CHECK(messages != NULL && error == NULL);
    const char expected[] =
        "[{\"role\":\"assistant\",\"channel\":\"final\",\"recipient\":null,\"content_type\":null,"
        "\"content\":\"a\",\"end\":\"return\"}]";
    CHECK(strcmp(messages, expected) == 0);
    hm_text_free(messages);
    /* Back to the end of the prompt, whose message is open. */
    hm_matcher_reset(matcher);
    CHECK(!hm_matcher_is_finished(matcher) && hm_matcher_accept(matcher, A, NULL));
    CHECK(!hm_matcher_rollback(matcher, 2, NULL));
    hm_matcher_free(matcher);
}

static void null_has_an_answer(void) {
    uint32_t token = A;
    float logit = 0;
    hm_error *error = NULL;
    CHECK(hm_matcher_is_finished(NULL) && !hm_matcher_is_accepting(NULL));
    CHECK(hm_matcher_stop_tokens(NULL, &token, 1) == 0 && hm_matcher_forced_tokens(NULL, &token, 1) == 0);
    CHECK(hm_matcher_validate_tokens(NULL, &token, 1) == 0 && token == A);
    CHECK(!hm_matcher_mask_id(NULL, NULL) && !hm_matcher_tokens_left(NULL, NULL));
    hm_matcher_reset(NULL);
    CHECK(!hm_matcher_accept(NULL, A, &error));
    check_error(error, "invalid_pointer");
    CHECK(!hm_matcher_apply(NULL, &logit, 1, &error));
    check_error(error, "invalid_pointer");
    CHECK(hm_matcher_transcript(NULL, &error) == NULL);
    check_error(error, "invalid_pointer");
}

int main(void) {
    masks_say_what_may_come();
    logits_follow_the_mask("[^x]*");
    logits_follow_the_mask("[0-9]+");
    logits_follow_the_mask("(?s).*");
    equal_masks_have_one_number();
    tokens_are_taken_and_taken_back();
    the_end_is_told();
    what_must_come_is_told();
    deadlines_are_kept();
    a_turn_goes_on_after_a_prompt();
    null_has_an_answer();
    puts("matching: all is well");
    return 0;
}
