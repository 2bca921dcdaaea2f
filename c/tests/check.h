/* What the tests share. They are C99 and C++11 at once, so that both compile and link the header. */
#ifndef CHECK_H
#define CHECK_H

#include "harmony_mask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                          \
    do {                                                                          \
        if (!(condition)) {                                                       \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                              \
        }                                                                         \
    } while (0)

/* The special tokens of gpt-oss. */
enum { RETURN = 200002, CHANNEL = 200005, MESSAGE = 200008 };

/* An error of this kind, which is freed. */
static inline void check_error(hm_error *error, const char *kind) {
    CHECK(error != NULL);
    if (strcmp(hm_error_kind(error), kind) != 0) {
        fprintf(stderr, "%s: %s, not %s\n", hm_error_kind(error), hm_error_message(error), kind);
        exit(1);
    }
    CHECK(strlen(hm_error_message(error)) > 0);
    hm_error_free(error);
}

static inline hm_compiler *new_compiler(void) {
    hm_compiler *compiler = hm_compiler_new(NULL, 0, NULL);
    CHECK(compiler != NULL);
    return compiler;
}

static inline hm_matcher *new_matcher(const hm_grammar *grammar) {
    hm_matcher *matcher = hm_matcher_new(grammar, NULL, 0, NULL);
    CHECK(matcher != NULL);
    return matcher;
}

/* A matcher of a regular expression, whose compiler and grammar are gone. */
static inline hm_matcher *of_regex(const char *pattern) {
    hm_compiler *compiler = new_compiler();
    hm_grammar *grammar = hm_compile_regex(compiler, pattern, strlen(pattern), NULL, 0, NULL);
    CHECK(grammar != NULL);
    hm_compiler_free(compiler);
    hm_matcher *matcher = new_matcher(grammar);
    hm_grammar_free(grammar);
    return matcher;
}

static inline bool has(const uint32_t *row, uint32_t token) {
    return (row[token / 32] >> (token % 32) & 1) == 1;
}

#endif
