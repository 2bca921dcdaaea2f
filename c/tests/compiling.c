/* Compilers, grammars and errors. */
#include "check.h"

static void limits_are_set_by_name(void) {
    const char limits[] = "{\"work\": 1}", schema[] = "{\"type\": \"object\"}";
    hm_error *error = NULL;
    hm_compiler *compiler = hm_compiler_new(limits, strlen(limits), &error);
    CHECK(compiler != NULL && error == NULL);
    CHECK(hm_compile_schema(compiler, schema, strlen(schema), NULL, 0, &error) == NULL);
    check_error(error, "limit");
    hm_compiler_free(compiler);

    const char *wrong[][2] = {
        {"{\"patience\": 1}", "unknown_limit"}, {"{", "not_json"}, {"{\"work\": -1}", "wrong_type"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(hm_compiler_new(wrong[i][0], strlen(wrong[i][0]), &error) == NULL);
        check_error(error, wrong[i][1]);
    }
}

static void an_error_says_where_it_is(const hm_compiler *compiler) {
    const char request[] =
        "{\"tools\": [{\"type\": \"function\", \"name\": \"f\", \"parameters\": "
        "{\"properties\": {\"a\": {\"type\": \"strin\"}}}}]}";
    hm_error *error = NULL;
    CHECK(hm_compile_request(compiler, request, strlen(request), &error) == NULL);
    CHECK(strcmp(hm_error_pointer(error), "/tools/0/parameters/properties/a") == 0);
    CHECK(strstr(hm_error_message(error), "`f`") != NULL);
    check_error(error, "invalid");
    /* Who does not want the error gets NULL alone. */
    CHECK(hm_compile_request(compiler, "{", 1, NULL) == NULL);
}

static void warnings_are_told(const hm_compiler *compiler) {
    const char request[] = "{\"harmony\": {\"reasoning\": {\"max_token\": 5}}}";
    hm_error *error = NULL;
    hm_grammar *grammar = hm_compile_request(compiler, request, strlen(request), &error);
    CHECK(grammar != NULL && error == NULL);
    char *warnings = hm_grammar_warnings(grammar, &error);
    CHECK(warnings != NULL && error == NULL);
    CHECK(strstr(warnings, "[\"/harmony/reasoning/max_token: ") == warnings);
    hm_text_free(warnings);
    hm_grammar_free(grammar);
}

static void options_are_those_of_a_request(const hm_compiler *compiler) {
    const char schema[] = "{\"const\": [1, 2]}", lark[] = "start: %json {\"const\": [1, 2]}";
    const char compact[] = "{\"whitespace\": \"compact\"}";
    hm_grammar *grammars[] = {
        hm_compile_schema(compiler, schema, strlen(schema), NULL, 0, NULL),
        hm_compile_lark(compiler, lark, strlen(lark), NULL, 0, NULL),
        hm_compile_schema(compiler, schema, strlen(schema), compact, strlen(compact), NULL),
        hm_compile_lark(compiler, lark, strlen(lark), compact, strlen(compact), NULL),
    };
    /* "[", "1", ",", " " and "2" as the tokenizer numbers them. */
    const uint32_t spaced[] = {58, 16, 11, 220, 17};
    for (size_t i = 0; i < 4; i++) {
        hm_matcher *matcher = new_matcher(grammars[i]);
        CHECK(hm_matcher_validate_tokens(matcher, spaced, 5) == (i < 2 ? 5u : 3u));
        hm_matcher_free(matcher);
        hm_grammar_free(grammars[i]);
    }
    hm_error *error = NULL;
    CHECK(hm_compile_schema(compiler, schema, strlen(schema), "{\"whitespaces\": 1}", 18, &error) == NULL);
    check_error(error, "unknown_option");
    CHECK(hm_compile_lark(compiler, lark, strlen(lark), "{\"whitespace\": \"no\"}", 20, &error) == NULL);
    CHECK(strcmp(hm_error_pointer(error), "/whitespace") == 0);
    check_error(error, "unknown_value");
}

static void texts_are_utf8(const hm_compiler *compiler) {
    hm_error *error = NULL;
    CHECK(hm_compile_regex(compiler, "a\xff", 2, NULL, 0, &error) == NULL);
    check_error(error, "not_utf8");
    CHECK(hm_compile_regex(compiler, NULL, 5, NULL, 0, &error) == NULL);
    check_error(error, "invalid_pointer");
}

static void null_is_an_error_and_nothing_to_free(void) {
    hm_error *error = NULL;
    CHECK(hm_compile_regex(NULL, "a", 1, NULL, 0, &error) == NULL);
    check_error(error, "invalid_pointer");
    CHECK(hm_matcher_new(NULL, NULL, 0, &error) == NULL);
    check_error(error, "invalid_pointer");
    CHECK(strlen(hm_error_kind(NULL)) + strlen(hm_error_message(NULL)) + strlen(hm_error_pointer(NULL)) == 0);
    hm_compiler_free(NULL);
    hm_grammar_free(NULL);
    hm_matcher_free(NULL);
    hm_error_free(NULL);
    hm_text_free(NULL);
}

int main(void) {
    hm_compiler *compiler = new_compiler();
    limits_are_set_by_name();
    an_error_says_where_it_is(compiler);
    warnings_are_told(compiler);
    options_are_those_of_a_request(compiler);
    texts_are_utf8(compiler);
    null_is_an_error_and_nothing_to_free();
    hm_compiler_free(compiler);
    puts("compiling: all is well");
    return 0;
}
