//! Every guardrail, one line each; one that does not apply to an audit says nothing.

use super::{
    Blocks, Evidence, Status, abstentions, asked_again, below_chance, best_threshold,
    beyond_chance, blind_baseline, canaries, checkpoints, class_balance, controls, cut_answers,
    dataset_inference, detectable_leak, duplicates, earlier_levels, echo, enough_nonmembers,
    failed_requests, few_members, inverted_labels, joined_scores, left_out_columns, models_alike,
    multiple_attacks, near_duplicates, other_joins, other_records, other_rows, partly_reached,
    persons, policy_attackers, policy_sizes, private_settings, query_variations, raised_threshold,
    reached, record_counts, reference_model, refusals, repeatability, repeated_ids, same_service,
    same_tokens, saturated_signals, sets_differ, shadow_coverage, short_texts, slices,
    store_contents, target_among_shadows, target_gain, target_unlike_shadows, telling_signals,
    telling_splits, text_dates, text_lengths, tied_scores, topics, training_file, weak_access,
    without_retrieval,
};

pub(super) type Check = fn(&Evidence) -> Option<(Status, String)>;

/// One guardrail: its name, what it blocks when violated and why, and how it looks.
pub(super) struct Guardrail {
    pub id: &'static str,
    pub blocks: Blocks,
    pub why: &'static str,
    pub check: Check,
}

/// What it catches can only hide a leak.
pub(super) const fn hides(id: &'static str, check: Check, why: &'static str) -> Guardrail {
    let blocks = Blocks::Pass;
    Guardrail {
        id,
        blocks,
        why,
        check,
    }
}

/// What it catches can only feign a leak.
pub(super) const fn feigns(id: &'static str, check: Check, why: &'static str) -> Guardrail {
    let blocks = Blocks::Fail;
    Guardrail {
        id,
        blocks,
        why,
        check,
    }
}

/// What it catches can hide a leak or feign one.
pub(super) const fn misleads(id: &'static str, check: Check, why: &'static str) -> Guardrail {
    let blocks = Blocks::Both;
    Guardrail {
        id,
        blocks,
        why,
        check,
    }
}

/// In the order in which reports show them.
pub(super) fn all() -> impl Iterator<Item = &'static Guardrail> {
    let sets = SETS.iter().chain(canaries::GUARDRAILS);
    sets.chain(SIGNALS)
}

/// What the two sets are like.
static SETS: &[Guardrail] = &[
    misleads(
        "class-balance",
        class_balance::check,
        "so few records give any value by chance, high or low",
    ),
    hides(
        "enough-nonmembers",
        enough_nonmembers::check,
        "the gated rate is not measured, so that nothing was tested",
    ),
    misleads(
        "inverted-labels",
        inverted_labels::check,
        "with the truth swapped, a leak looks like its opposite and its opposite like a leak",
    ),
    hides(
        "below-chance",
        below_chance::check,
        "scores below one half are a leak read backwards",
    ),
    hides(
        "persons",
        persons::check,
        "people who are members and non-members at once look like neither",
    ),
    hides(
        "other-joins",
        other_joins::check,
        "one way of joining records drowns what another one shows",
    ),
    feigns(
        "record-counts",
        record_counts::check,
        "scores that are joined by person grow with the number of records",
    ),
    hides(
        "repeated-ids",
        repeated_ids::check,
        "what the records of a person show together is not looked at",
    ),
    hides(
        "earlier-levels",
        earlier_levels::check,
        "what persons or parts of the records leak does not show in the whole",
    ),
    hides(
        "left-out-columns",
        left_out_columns::check,
        "what is not read shows nothing",
    ),
];

/// What attacks were made on, and what came of them.
static SIGNALS: &[Guardrail] = &[
    hides(
        "weak-access",
        weak_access::check,
        "a weaker attacker finds less than a stronger one",
    ),
    hides(
        "tied-scores",
        tied_scores::check,
        "records that share a score are not told apart, which pulls AUC towards one half",
    ),
    misleads(
        "abstentions",
        abstentions::check,
        "records were left out by what they are like, and the others may leak more or less",
    ),
    hides(
        "shadow-coverage",
        shadow_coverage::check,
        "noisy or missing estimates of a record make attacks weaker",
    ),
    hides(
        "models-alike",
        models_alike::check,
        "models that did not train on their own records show nothing of what training does",
    ),
    feigns(
        "target-among-shadows",
        target_among_shadows::check,
        "a shadow that is the target knows its members and nobody else's",
    ),
    hides(
        "other-records",
        other_records::check,
        "one record compared with another tells nothing, whatever leaks",
    ),
    hides(
        "saturated-signals",
        saturated_signals::check,
        "values that were cut off become ties, which pulls AUC towards one half",
    ),
    feigns(
        "sets-differ",
        sets_differ::check,
        "attacks that look at the target alone find what sets the records apart, and take it for memory",
    ),
    hides(
        "target-gain",
        target_gain::check,
        "a truth that is not the model's own, or shadows of another recipe, show none of its leak",
    ),
    misleads(
        "target-unlike-shadows",
        target_unlike_shadows::check,
        "a shift between target and shadows moves all scores alike, and may do so by class or value",
    ),
    feigns(
        "telling-splits",
        telling_splits::check,
        "the count of shadows tells the truth to attacks that see it",
    ),
    feigns(
        "blind-baseline",
        blind_baseline::check,
        "attacks find the difference between the sets and not the training",
    ),
    hides(
        "duplicates",
        duplicates::check,
        "a copy of a member among the non-members is known to the model and looks like a member",
    ),
    hides(
        "near-duplicates",
        near_duplicates::check,
        "non-members that the model knows look like members",
    ),
    feigns(
        "text-lengths",
        text_lengths::check,
        "attacks find the length and not the training",
    ),
    feigns(
        "text-dates",
        text_dates::check,
        "attacks find the time and not the training",
    ),
    hides(
        "training-file",
        training_file::check,
        "members that were not trained on, or non-members that were, blur the two sets",
    ),
    misleads(
        "same-tokens",
        same_tokens::check,
        "differences of unrelated tokens mean nothing, whichever way they point",
    ),
    misleads(
        "other-rows",
        other_rows::check,
        "what a model said of other texts shows nothing of these, whichever way it points",
    ),
    hides(
        "reference-model",
        reference_model::check,
        "what the reference has learned as well cancels out in every comparison",
    ),
    hides(
        "short-texts",
        short_texts::check,
        "a few tokens hardly tell, so that attacks find less than in longer texts",
    ),
    hides(
        "dataset-inference",
        dataset_inference::check,
        "it tells of the set what the gate asks of single texts",
    ),
    feigns(
        "topics",
        topics::check,
        "attacks find the topic and not the store",
    ),
    hides(
        "query-variations",
        query_variations::check,
        "one wording may miss a document that another finds",
    ),
    hides(
        "store-contents",
        store_contents::check,
        "documents that questions do not reach, or non-members in the store, blur the two sets",
    ),
    hides(
        "reached",
        reached::check,
        "questions that reach no document find nothing, whatever the store would give away",
    ),
    hides(
        "partly-reached",
        partly_reached::check,
        "members that the store does not hold, or never answers about, drown those that it gives away",
    ),
    hides(
        "controls",
        controls::check,
        "what does not find a document that is there finds no leak either",
    ),
    misleads(
        "same-service",
        same_service::check,
        "another service may give away more or less",
    ),
    hides(
        "asked-again",
        asked_again::check,
        "what a service gave away on an earlier day it gave away, and it may give away more by now",
    ),
    feigns(
        "without-retrieval",
        without_retrieval::check,
        "what the model says by itself is no leak of the store",
    ),
    misleads(
        "echo",
        echo::check,
        "repeating the input looks like knowing it",
    ),
    hides(
        "refusals",
        refusals::check,
        "what is refused shows nothing of what is known, and may tell by itself",
    ),
    hides(
        "telling-signals",
        telling_signals::check,
        "what no attack of the audit reads may give members away all the same",
    ),
    hides(
        "failed-requests",
        failed_requests::check,
        "what was not answered shows nothing, and may tell by itself",
    ),
    hides(
        "cut-answers",
        cut_answers::check,
        "what an answer did not come to say shows nothing",
    ),
    hides(
        "repeatability",
        repeatability::check,
        "chance in the answers blurs scores, and what second answers alone tell no attack reads",
    ),
    hides(
        detectable_leak::ID,
        detectable_leak::check,
        "so few records may miss a leak",
    ),
    hides(
        "slices",
        slices::check,
        "what leaks in a part drowns in the whole",
    ),
    misleads(
        "policy-sizes",
        policy_sizes::check,
        "the policy lets so few records decide nothing, one way or the other",
    ),
    hides(
        "policy-attackers",
        policy_attackers::check,
        "the policy wants to be safe from another attacker, who may find more",
    ),
    hides(
        "private-settings",
        private_settings::check,
        "choosing among settings by what they gave spends privacy that no ε of one of them counts",
    ),
    hides(
        "few-members",
        few_members::check,
        "a few exposed members hardly move an average over all",
    ),
    hides(
        "best-threshold",
        best_threshold::check,
        "scores that are no larger on average may still tell members apart",
    ),
    hides(
        "joined-scores",
        joined_scores::check,
        "scores that each tell little may tell much together",
    ),
    hides(
        "other-checkpoints",
        checkpoints::check,
        "what one checkpoint no longer shows another one may",
    ),
    hides(
        "raised-threshold",
        raised_threshold::check,
        "a leak that the usual threshold catches passes a higher one",
    ),
    feigns(
        "beyond-chance",
        beyond_chance::check,
        "few records reach a high value by chance",
    ),
    feigns(
        "multiple-attacks",
        multiple_attacks::check,
        "the best of many is too high by chance",
    ),
];
