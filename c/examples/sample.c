/*
 * Samples one completion of a request from random logits, and prints its messages as JSON.
 *
 *   sample [REQUEST.json [SEED]]
 */
#include "harmony_mask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char REQUEST[] =
    "{\"tools\": [{\"type\": \"function\", \"name\": \"get_weather\", \"parameters\": {"
    "\"type\": \"object\", \"properties\": {\"city\": {\"type\": \"string\", \"maxLength\": 40}},"
    "\"required\": [\"city\"], \"additionalProperties\": false}}], \"tool_choice\": \"required\"}";

/* The turn is whole after so many tokens, whatever is sampled. */
static const size_t MAX_TOKENS = 200;

/* The memory of one run: what is NULL was not made yet, and may be freed all the same. */
typedef struct {
    char *request;
    float *logits;
    hm_compiler *compiler;
    hm_grammar *grammar;
    hm_matcher *matcher;
    hm_error *error;
} run;

static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t size = 0, more = 1;
    while (file != NULL && more > 0) {
        char *larger = (char *)realloc(text, size + 4096);
        if (larger == NULL) {
            break;
        }
        text = larger;
        more = fread(text + size, 1, 4095, file);
        size += more;
        text[size] = '\0';
    }
    if (file != NULL) {
        fclose(file);
    }
    return text;
}

/* Stands in for the model. */
static void random_logits(uint64_t *state, float *logits) {
    for (size_t token = 0; token < HM_LOGITS; token++) {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        logits[token] = (float)(*state >> 40);
    }
}

static uint32_t best(const float *logits) {
    uint32_t best = 0;
    for (uint32_t token = 1; token < HM_LOGITS; token++) {
        if (logits[token] > logits[best]) {
            best = token;
        }
    }
    return best;
}

static bool start(run *run) {
    run->compiler = hm_compiler_new(NULL, 0, &run->error);
    if (run->compiler == NULL) {
        return false;
    }
    run->grammar = hm_compile_request(run->compiler, run->request, strlen(run->request), &run->error);
    if (run->grammar == NULL) {
        return false;
    }
    /* An engine passes the tokens of its prompt here. */
    run->matcher = hm_matcher_new(run->grammar, NULL, 0, &run->error);
    return run->matcher != NULL && hm_matcher_finish_within(run->matcher, MAX_TOKENS, &run->error);
}

static bool sample(run *run, uint64_t seed) {
    while (!hm_matcher_is_finished(run->matcher)) {
        random_logits(&seed, run->logits);
        if (!hm_matcher_apply(run->matcher, run->logits, HM_LOGITS, &run->error)) {
            return false;
        }
        if (!hm_matcher_accept(run->matcher, best(run->logits), &run->error)) {
            return false;
        }
    }
    return true;
}

static bool print(run *run) {
    char *messages = hm_matcher_transcript(run->matcher, &run->error);
    if (messages == NULL) {
        return false;
    }
    puts(messages);
    hm_text_free(messages);
    return true;
}

static char *copy(const char *text) {
    char *copy = (char *)malloc(strlen(text) + 1);
    return copy == NULL ? NULL : strcpy(copy, text);
}

int main(int argc, char **argv) {
    run run = {NULL, NULL, NULL, NULL, NULL, NULL};
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    run.request = argc > 1 ? read_file(argv[1]) : copy(REQUEST);
    run.logits = (float *)malloc(HM_LOGITS * sizeof(float));
    bool is_done = run.request != NULL && run.logits != NULL;
    if (!is_done) {
        fputs("the request cannot be read\n", stderr);
    }
    /* The generator stays at 0 for ever, so no seed is 0. */
    is_done = is_done && start(&run) && sample(&run, 2 * seed + 1) && print(&run);
    if (run.error != NULL) {
        fprintf(stderr, "%s: %s\n", hm_error_kind(run.error), hm_error_message(run.error));
    }
    hm_error_free(run.error);
    hm_matcher_free(run.matcher);
    hm_grammar_free(run.grammar);
    hm_compiler_free(run.compiler);
    free(run.logits);
    free(run.request);
    return is_done ? 0 : 1;
}
