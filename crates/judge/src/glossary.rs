//! The words of a report, explained for people who must act on them.

mod synonyms;
mod terms;

/// One word.
pub struct Entry {
    pub id: &'static str,
    pub meaning: &'static str,
}

static ENTRIES: &[Entry] = &[
    Entry {
        id: "auc",
        meaning: "The chance that a random member scores above a random non-member, ties counting \
                  one half. 0.5 is chance, 1 is perfect. Counted over all pairs, never \
                  interpolated; the interval is DeLong's on the logit scale. AUC averages over all \
                  thresholds: a model can leak a few records badly at an AUC near 0.5, so read TPR \
                  at low FPR too.",
    },
    Entry {
        id: "tpr-at-fpr",
        meaning: "The share of members caught when at most so many non-members are accused. Step \
                  rule: the largest TPR with FP ≤ FPR · non-members, never interpolated. Refused \
                  when not even one non-member may be accused. The interval is Clopper–Pearson at \
                  the threshold; the bootstrap interval also lets the threshold move.",
    },
    Entry {
        id: "balanced-accuracy",
        meaning: "The mean of the share of members and of non-members judged right at the best \
                  threshold. The threshold was chosen on the same records, so the value is \
                  optimistic; the interval (Dvoretzky–Kiefer–Wolfowitz) holds over all thresholds.",
    },
    Entry {
        id: "advantage",
        meaning: "TPR minus FPR at the best threshold: how much better than guessing the attacker \
                  does. Twice the balanced accuracy minus one.",
    },
    Entry {
        id: "log-mia",
        meaning: "Members caught without a false accusation (regime A) or with at most ⌈ln n⌉ of \
                  them (regime B), on a logarithmic scale: ln(TP+1)/ln(members+1). A random score \
                  is called severe half of the time by the published rule, at any size, so a level \
                  is shown only where the exact p-value, corrected for the number of attacks and regimes, \
                  says it is not chance.",
    },
    Entry {
        id: "few-shot",
        meaning: "Many small episodes: a few records of known membership, a validation set, and a \
                  query set to be told apart. Every mean stands beside chance (the exact expectation \
                  of a score that says nothing) and beside shuffled (the same procedure with \
                  everybody's membership shuffled). A level is given only where the mean lies above \
                  both, each at 5%. The gate looks at pooled scores: each record's in the first \
                  episode that asked about it.",
    },
    Entry {
        id: "epsilon",
        meaning: "The smallest differential-privacy parameter ε that fits what the attack achieved, \
                  with the stated confidence. It is a lower bound on the leak: 0 means that the \
                  attack proves nothing, not that the model is private. Clopper–Pearson bounds are \
                  corrected for the thresholds tried; the Gaussian bound assumes a Gaussian \
                  mechanism.",
    },
    Entry {
        id: "verdict",
        meaning: "pass: the gated measure is below its threshold, on all records and on every slice \
                  that could be judged, against the attacker that is named. fail: it is at or above, \
                  on all of them or on one slice beyond chance. inconclusive: a guardrail is violated \
                  that blocks what would have been said. One that could only hide a leak blocks a \
                  pass, one that could only feign a leak blocks a fail, some block both. The gate \
                  looks at the best attack that fails beyond chance, or at the best of all where none does; its interval is \
                  widened for the number of attacks tried.",
    },
    Entry {
        id: "anderson-darling",
        meaning: "A test whether a sample is normal that weighs the tails. Here: one test per record \
                  on φ of the shadows that trained on it (IN), and one on φ of those that did not \
                  (OUT), because the Gaussian attacks fit a normal to each of these samples. The \
                  statistic A² is corrected for small samples; above 0.752 the test rejects at 5%. A \
                  true normal is rejected 5% of the time and has a median A² of 0.34. Many \
                  rejections do not void an audit: they say that attacks without a Gaussian model \
                  may do better, and that scores in the far tails mean less than they seem to. \
                  Records with fewer than 8 values of a class, or without spread, are left out. Of \
                  more than 2,048 records so many are drawn by the seed and stand for all.",
    },
    Entry {
        id: "qq",
        meaning: "Quantiles of φ beside those of a normal. Every record's φ under its IN (or OUT) \
                  shadows is standardised by its own mean and deviation; all records are pooled. \
                  Where the observed quantile lies farther out than the normal one, tails are \
                  heavier than the Gaussian attacks assume. The normal quantiles are those that \
                  normal samples of the same sizes would have after the same standardising, so that \
                  few shadows do not look like light tails.",
    },
    Entry {
        id: "slices",
        meaning: "The records cut by the true label and by named columns (--slice), each slice measured \
                  on its own, because what leaks in a part drowns in the whole. Every attack is asked; \
                  a slice that lies above the gate's threshold beyond chance (corrected for attacks, \
                  then by Holm for slices) fails the audit, one that lies above it and above the rest, \
                  but not surely above the threshold, makes a pass inconclusive, and one that is too \
                  small to show a leak at the threshold is listed with how many records it needs and \
                  blocks nothing. AUC is within \
                  the slice; TPR and FPR are at the threshold that keeps FPR at 1% over all records, so \
                  a slice can have more false positives than that. A slice is marked when its AUC \
                  differs from that of the rest at 5% after Holm's correction for all slices that \
                  could be compared; the test is cautious for small slices. The rest mixes other slices: if those \
                  differ in how high they score altogether, its AUC is lower than that of each. \
                  Slices with fewer than 10 members or non-members are not measured.",
    },
    Entry {
        id: "vulnerability",
        meaning: "How often a record is caught when it is a member. With --replicates each of several \
                  models is the target in turn; a member is caught when it scores at or above that \
                  target's threshold for FPR ≤ 1%, and a non-member there is falsely flagged. \
                  Records are ranked by a lower confidence bound on their own rate. Beside it stands \
                  how many records would rank as high if all were caught equally often: where that \
                  number is as large as the observed one, the list shows luck. One target alone \
                  cannot tell. Targets are each other's shadows, so they are not quite independent.",
    },
    Entry {
        id: "class-balance",
        meaning: "Members and non-members in about equal number, and enough of both.",
    },
    Entry {
        id: "enough-nonmembers",
        meaning: "A false-positive rate of 1 in n can be seen only with at least n non-members.",
    },
    Entry {
        id: "inverted-labels",
        meaning: "Shadows that are less confident where they trained, or most attacks well below \
                  chance, mean that members and non-members are swapped: check what 1 means in \
                  keep. An inverted audit would call a leak private.",
    },
    Entry {
        id: "below-chance",
        meaning: "An attack whose AUC is significantly below one half tells members apart the wrong way \
                  round: turned round it is an attack like any other. Either its sign was not known, \
                  or the truth is wrong for a part of the records. Neither goes with a pass. A slice below \
                  one half beyond chance (two-sided, at 1%, corrected for attacks and by Holm for slices) is \
                  named and counts alike.",
    },
    Entry {
        id: "weak-access",
        meaning: "A pass holds for the attackers that were tried. Without shadow models (classifiers) or \
                  a reference model (language models) only the weakest attacker was: one who asks the \
                  audited model and has nothing to compare its answers with. What others find, often \
                  far more, is then not known. A leak that even this attacker finds is a leak. If it is \
                  the only one you mean to be safe from, name it: --attacker target-only, or attacker \
                  = \"target-only\" under [audit].",
    },
    Entry {
        id: "policy",
        meaning: "A file of criteria that several audits share: a measure (auc, tpr@0.001, advantage, \
                  epsilon with its δ), whom it is about (all records, every slice, persons), a threshold \
                  and why that is the threshold; the smallest sizes that decide; the attackers whom a \
                  pass may hold for. Every criterion is decided like a gate of its own. One that is \
                  violated fails the audit; a pass needs every one decided and held, and what cannot be \
                  measured is inconclusive. The report names the policy and the digest of its file. \
                  guestlist init policy writes one, --policy FILE or audit.policy uses it, guestlist \
                  policy check judges a stored report by it.",
    },
    Entry {
        id: "gate",
        meaning: "What decides an audit: a measure of the best attack and a threshold, AUC and 0.65 where \
                  nothing is said. 0.65 is the release threshold of the RAG threat specification that \
                  this tool began with: 15 points above chance, with room for noise. It is a convention, \
                  not a proof of safety. At an AUC of 0.65 (scores of two equal normals) the attacker's \
                  best advantage is 0.21, and 3.7% of the members are named while 1% of the others are \
                  wrongly accused. A policy file holds several such criteria, each with its reason: see \
                  policy. --gate says how the interval counts. point: fail at or above the threshold. \
                  conservative: pass only where the whole interval lies below. proven: fail only where \
                  the whole interval lies at or above.",
    },
    Entry {
        id: "claim",
        meaning: "An ε and δ that a configuration ([claim]), a training program (privacy.json) or the \
                  native trainer's accountant states. It is held against the lower bound on ε that \
                  attacks prove at that δ, corrected for their number. A bound above the claim refutes it \
                  and fails the audit, whatever the gate says. A bound below it is no proof: attacks find \
                  less than there is.",
    },
    Entry {
        id: "policy-sizes",
        meaning: "A policy names how many members and non-members an audit must judge. With fewer, nothing \
                  is decided.",
    },
    Entry {
        id: "policy-attackers",
        meaning: "A policy names whom a pass may hold for: the strongest attacker that an auditor can be, \
                  or a weaker one such as target-only. A pass against somebody else is not what it asks \
                  for.",
    },
    Entry {
        id: "private-settings",
        meaning: "An ε is that of one training run. Where several settings of private training (noise, \
                  clipping, epochs) were tried on the same data and the best was kept, the choice has \
                  looked at the data too, and the ε of the winner is not that of the whole. The run's \
                  folder remembers settings that were set aside; settings_tried under [claim] says of \
                  others.",
    },
    Entry {
        id: "few-members",
        meaning: "AUC averages over all members. Where attacks catch members at hardly any false \
                  accusation, beyond chance and corrected for the number of attacks (Log-MIA), some \
                  members are exposed although AUC stays below its threshold. A leak that is spread evenly \
                  exposes a few of them as well, and that is a warning; where more are caught than \
                  such a leak at the threshold would expose, nothing passes. Nor does a retrieval service that hands \
                  out documents of members word for word, eight words or more in a row that no question had, and none \
                  of the others' (Fisher's exact test, 1% level). Gate on TPR at a low \
                  false-positive rate (--measure tpr@0.001) where that matters. Both ends of every attack's \
                  scores are looked at and share the error: members that score lower than everybody else, as \
                  where a model was made to forget them, are exposed by the same score turned round, and no \
                  gate sees them.",
    },
    Entry {
        id: "best-threshold",
        meaning: "An AUC of one half says that members score no higher on average. Members whose scores all \
                  lie between those of the others, or on one value, are known all the same: one threshold \
                  leaves half of the others aside and no member. Where the advantage of the best threshold, \
                  its interval paying for the choice and for the number of attacks, is larger than that of an \
                  even leak at the gate's threshold, nothing passes, whatever lies on the members' side, above or \
                  below. A gate on a rate allows as much as the usual one on AUC, 0.65, at the least; of a gate \
                  on ε no such leak is known.",
    },
    Entry {
        id: "telling-splits",
        meaning: "When every record is in exactly half of all models, the audited one among them, \
                  members are in one shadow fewer than non-members: the count gives the truth \
                  away. Balance over the shadows only, or use fewer of them.",
    },
    Entry {
        id: "duplicates",
        meaning: "A record that stands in the data twice may be a member and a non-member at once. The                   model knows the copy that counts as a non-member, so that attacks seem to do worse:                   with every record four times, an AUC of 0.77 became 0.60. Runs draw copies together,                   all in or all out; where the models exist already, records whose outputs agree under                   every model but for rounding are taken for copies, and where there are many, one of each                   is judged.",
    },
    Entry {
        id: "tied-scores",
        meaning: "Records with equal scores cannot be ordered. Signals that were rounded or \
                  clipped, and counting attacks, make such ties.",
    },
    Entry {
        id: "abstentions",
        meaning: "An attack abstains on a record it has no shadows for. Measures are over all records, \
                  so that attacks are compared on the same ones: an abstention counts as knowing \
                  nothing, tied at the median of the attack's own scores. The figure among judged \
                  records stands beside it, and where that one reaches the threshold and the other \
                  does not, nothing is passed.",
    },
    Entry {
        id: "shadow-coverage",
        meaning: "Every record needs shadows that trained on it (IN) and shadows that did not \
                  (OUT). With fewer than about 32 of each, per-record variances are noisy; with fewer than \
                  four shadows nothing passes. In an offline audit the reference records must show what \
                  training does.",
    },
    Entry {
        id: "models-alike",
        meaning: "Shadows show what training does only where each was trained, on its own records. \
                  Models that trained on different records and give the same outputs, to the last bit \
                  or nearly, are copies of one: a training program loaded a cached model, or a row was \
                  repeated. Shadows that are right about every record and no surer of those they \
                  trained on have seen them all, or their rows of keep are those of other models. \
                  Nothing can be found in either.",
    },
    Entry {
        id: "target-among-shadows",
        meaning: "A shadow with the outputs of the target, to the last bit, and its row of keep is the target. \
                  An attack that compares finds them equal on members and others alike and takes that for a leak, \
                  whatever the target remembers.",
    },
    Entry {
        id: "other-records",
        meaning: "Models agree on which records are hard. A target or shadows that agree with nobody, where the \
                  others do agree, have the records in another order: a loader shuffled them, with their keep. Attacks \
                  then compare one record with another and find nothing. Where no model agrees with another, this is \
                  said and blocks nothing.",
    },
    Entry {
        id: "sets-differ",
        meaning: "Members and others should be drawn from one pool. Where the class alone tells them apart, or \
                  shadows that never trained on a record are surer of the target's members than of others, \
                  the sets differ by themselves, and an attack that looks at the target's outputs finds that without \
                  any memory in the model. Nothing fails by an attack that does no better.",
    },
    Entry {
        id: "target-gain",
        meaning: "Shadows are surer of the records that they trained on; a target of their recipe is, \
                  too. One that is no surer of its members than of others, far from all shadows, has \
                  been given another model's row of keep, or other shadows than its own: that nothing is \
                  found then says nothing of it.",
    },
    Entry {
        id: "other-joins",
        meaning: "The scores of a person's records become one by their sum, their mean or the largest. \
                  Which is best depends on the leak: many faint signs add up, one loud record is drowned \
                  by them. A pass by the join that decides is none where another one reaches the \
                  threshold beyond chance.",
    },
    Entry {
        id: "saturated-signals",
        meaning: "A pile of values at one edge means that confidences were cut off before they \
                  were stored, often by a float32 softmax. The most exposed records are the ones \
                  lost. A language model that gives nine of ten tokens one and the same log-probability was \
                  not tested, and attacks that compare measured the reference alone. Features that more than \
                  half of the records share with the other side of the truth leave few-shot attacks nothing \
                  to tell apart. Neither goes with a pass.",
    },
    Entry {
        id: "target-unlike-shadows",
        meaning: "Attacks assume that shadows were trained like the audited model. If its mean φ \
                  lies far outside the shadows', scores are shifted and thresholds mean little.",
    },
    Entry {
        id: "blind-baseline",
        meaning: "Models that see the texts and nothing else try to tell members from non-members, \
                  cross-validated: by words, by letters and marks, by the one word or three \
                  characters that separate best. They must fail. Where one succeeds, the two sets \
                  differ in topic, source, time or how they were written down, every attack can use that difference, and the audit measures how \
                  the texts were chosen. Draw members and non-members at random from one pool.",
    },
    Entry {
        id: "near-duplicates",
        meaning: "A non-member that is nearly a copy of a member is known to the model too: it \
                  counts as a false alarm and hides the leak. A copy shares half of its runs of \
                  eight words with members.",
    },
    Entry {
        id: "text-lengths",
        meaning: "Members and non-members must be about equally long: many scores depend on \
                  length, so a difference looks like membership.",
    },
    Entry {
        id: "text-dates",
        meaning: "Members and non-members must come from the same time. Newer texts have newer \
                  words, which every attack can see. Dates that cannot be read, or that one side \
                  lacks, are a warning: then nothing is known.",
    },
    Entry {
        id: "training-file",
        meaning: "Members must be in the file that the model was trained on, and non-members must \
                  not. A list of members that were never trained on measures nothing. Texts are \
                  compared by their words: nine tenths of the runs of eight words must be there.",
    },
    Entry {
        id: "same-tokens",
        meaning: "Target and reference must be asked about the same tokens, or their \
                  log-probabilities cannot be compared one by one.",
    },
    Entry {
        id: "other-rows",
        meaning: "Frequent tokens are likelier than rare ones, so that which token it is explains much of its \
                  log-probability (41% of the variance in texts of Wikipedia), and nothing of another row's (0.03%). Where \
                  token_ids, beside 20,000 predictions or more, explain no more than they would of another row's, signals \
                  were joined to the wrong rows. Tokens seen 20 times count, of the first million predictions.",
    },
    Entry {
        id: "reference-model",
        meaning: "A reference model that was trained on the members too, such as an earlier \
                  checkpoint of the same training, hides the leak: what both models know cancels out. \
                  So it is asked whether the reference alone finds members likelier than non-members, \
                  at 99% confidence.",
    },
    Entry {
        id: "short-texts",
        meaning: "Texts under 100 tokens have few error positions: a few tokens decide, and scores \
                  are noisy. ez-smoothed is made for them. Where half of the texts have fewer than 16 \
                  tokens to predict, a pass says nothing: a model whose texts of 127 tokens are told \
                  apart almost always (AUC 0.997) reaches 0.785 on their first 16, and 0.554 on \
                  their first 3.",
    },
    Entry {
        id: "dataset-inference",
        meaning: "Was the set of members, taken together, trained on? The attack that separates \
                  best is chosen on one half of the texts; on the other half a one-sided t-test \
                  asks whether members score higher. A small p-value with a passing gate means \
                  that single texts are safe from this attacker while the use of the set can be \
                  proved.",
    },
    Entry {
        id: "calibrated",
        meaning: "A threshold set on one half of the non-members for a wanted false-positive rate, \
                  then applied unchanged to the other half and to the members: what an attacker \
                  with known non-members would really achieve.",
    },
    Entry {
        id: "checkpoints",
        meaning: "The same audit of several checkpoints of one model, in order of training steps: \
                  how the leak grows, and where to stop. The gate looks at the target only.",
    },
    Entry {
        id: "topics",
        meaning: "Non-members must be about the same topics as members, or any attack that finds the \
                  topic finds the member. Where documents name a topic, the shares of topics are \
                  compared and tested by shuffling.",
    },
    Entry {
        id: "query-variations",
        meaning: "One question's wording can decide whether its document is found. Several wordings \
                  per document average that out.",
    },
    Entry {
        id: "store-contents",
        meaning: "Where a service shows its sources, members should turn up among them and \
                  non-members should not. A non-member that is shown is in the store; members that \
                  never turn up may not be.",
    },
    Entry {
        id: "reached",
        meaning: "A service that says “I don't know” to everything, or whose store is empty, looks \
                  perfectly safe. A pass needs a sign that questions reached members' documents: attacks, \
                  content of answers or visible sources that tell members from non-members beyond chance \
                  (one-sided, 1% level over all signs), documents of members alone that came back word for word, or controls \
                  that were found again. Controls without any sign \
                  of the members are a warning: a store that holds them alone would look the same.",
    },
    Entry {
        id: "partly-reached",
        meaning: "A store that holds some of the members gives those away and none of the others, and the average over all \
                  lies below the threshold. Where an attack on a retrieval service tells a tenth of the members or more from \
                  every non-member (p at most 0.01 after correction for all attacks), and the other members look \
                  as non-members do, no pass is given.",
    },
    Entry {
        id: "controls",
        meaning: "Documents with invented facts, which the owner puts into the store (guestlist init rag \
                  --controls). They are asked about as anybody would ask; at least half must be found again, \
                  by their fact in an answer or as a visible source, and what was found at first must be found again \
                  between the other questions and at the end. They enter no measure.",
    },
    Entry {
        id: "same-service",
        meaning: "Answers that an earlier run stored speak of the service of that time. A run that uses any \
                  of them asks a few again; where they differ by more than the service's answers differ \
                  anyway, it stops. Where too few could be asked again, and answers about members are stored and \
                  those about non-members are not, or the other way round, there is no verdict either.",
    },
    Entry {
        id: "asked-again",
        meaning: "Where so few stored answers could be asked again that a change of the service would not show, \
                  because the budget is spent or probes.recheck is 0, no pass is given: the service may give away \
                  more by now. A leak that stored answers show is one all the same. guestlist run --replay judges \
                  the service of the day on which it answered.",
    },
    Entry {
        id: "without-retrieval",
        meaning: "What a model says with retrieval switched off is not a leak of the store. The same \
                  questions are asked both ways, and the difference of the two AUCs is given with a \
                  paired interval (DeLong).",
    },
    Entry {
        id: "echo",
        meaning: "A service that repeats its input follows the words of any text, as one that knows the \
                  text does. What it was not shown it cannot repeat: where hidden words do not come \
                  back, the label pretrained rests on repetition.",
    },
    Entry {
        id: "refusals",
        meaning: "Refusals, guardrail messages and empty answers, counted apart from answers and \
                  from “I don't know”. A pass that rests on refusals lasts until somebody finds \
                  other words. Where the share of answers that say nothing tells members from \
                  non-members as well as the threshold forbids, no pass is given; nor where a wording \
                  (numbers aside), a word or two in a row that neither the question nor the document \
                  has, a source or a blank that recurs in answers does. Every second document \
                  chooses which one, and the others judge it.",
    },
    Entry {
        id: "telling-signals",
        meaning: "An audit finds what its attacks read. Every signal of the answers is measured all the same, and so \
                  is whether an answer shows or names the document as a source. Where one of them alone tells \
                  members from non-members, whichever way it points, as well as the threshold forbids, beyond chance \
                  (1% level, both sides, corrected for the number of signals) and better than without retrieval, no \
                  pass is given: add the attack that reads it. What stands beside answers counts as well: numbers and words that \
                  no path of the target reads (counts of tokens, the reason of an end, a model's name, the status), each \
                  compared with the mean of the responses to the same question, and how large the numbers in answers are. \
                  Time is left out where cross-fitted.latency is no.",
    },
    Entry {
        id: "failed-requests",
        meaning: "Questions without an answer: time-outs, errors, broken replies. They are left out, \
                  and run again asks them once more. Where they fall on members and non-members \
                  unequally, beyond chance at the 1% level, they tell by themselves: no pass is given.",
    },
    Entry {
        id: "cut-answers",
        meaning: "A service stops an answer at its limit of tokens, and says so (finish_reason length \
                  and its likes). What would have come after is lost to every attack, and lengths and \
                  likenesses of answers mean less. Of a response longer than what is kept of it (65,536 characters \
                  of an answer, and of each text beside it) the rest was looked at by nobody: no pass is given.",
    },
    Entry {
        id: "repeatability",
        meaning: "A part of the questions is asked twice, in audits of sources too. A service that \
                  answers differently each time blurs scores; it does not make a leak. Where second answers \
                  about documents tell members from non-members (what they give of the document beyond the first, \
                  whether they answer at all, whether their words are others; labels drawn anew, 1% over all \
                  three), there is no pass: attacks read first answers.",
    },
    Entry {
        id: "persons",
        meaning: "Where several records belong to one person, the person is who was a member or not. \
                  --group names the column that says whose a record is. Then there are two levels: by \
                  record, with intervals that count people (the records of a person are no independent \
                  trials), and by person, where a person's scores are joined into one. A leak at either \
                  level fails, a pass needs both, and power counts people. Somebody with members and \
                  non-members among the records is neither; where most are, the sets were not drawn by \
                  person and nothing is decided.",
    },
    Entry {
        id: "join",
        meaning: "How the scores of a person's records become one: sum, of calibrated log-likelihood \
                  ratios, lets many faint signs add up; mean does not grow with the number of records; \
                  max is the most exposed record. Ratios are calibrated on other people than those they \
                  are read for.",
    },
    Entry {
        id: "record-counts",
        meaning: "Whether people who are members have more or fewer records than the others. Joined \
                  scores grow with that number, so that a difference looks like a leak by person.",
    },
    Entry {
        id: "repeated-ids",
        meaning: "Records that share an id may be one person's. Say so with --group, or intervals take \
                  them for independent ones and what a person's records show together is not looked at. An id that \
                  members and non-members share may be one record on both sides of the truth, a non-member that \
                  the model knows: where more than 2% of the records have such an id, and no texts show whether \
                  they are copies, nothing passes.",
    },
    Entry {
        id: "earlier-levels",
        meaning: "The scores.parquet of an audit that judged persons, or cut its records, holds the scores of the \
                  records alone, and says so. Judged again by record, a leak by person or in a slice would be gone: \
                  without --group there is no pass, nor without the column of a slice that violated the gate.",
    },
    Entry {
        id: "left-out-columns",
        meaning: "Columns of texts, dates and the like are neither scores nor features, and are left out. Whether \
                  they show anything is not said. Columns whose texts are numbers, and lists of numbers, are \
                  refused.",
    },
    Entry {
        id: "canary-coins",
        meaning: "Canaries go in or stay out by fair coins of their own, and every bound from one run rests \
                  on that. Far from one half of them included, the truth is not that of such coins.",
    },
    Entry {
        id: "canary-members",
        meaning: "The truth of canaries is in their coins, whatever the audited file says of members. Where \
                  it says otherwise of more than 1% of them it was made for another draw, and nothing \
                  passes; where it says the same of all, it says nothing.",
    },
    Entry {
        id: "missing-canaries",
        meaning: "Canaries of the manifest that have no row in what was audited. They count as guesses that \
                  were not made, which weakens bounds; beyond 5% of them a pass would rest on what \
                  somebody chose to score.",
    },
    Entry {
        id: "unseen-canaries",
        meaning: "Canaries that training could not see: cut off, masked, dropped as copies. What was not \
                  learnt cannot be found, so that nothing passes where the check before training \
                  (`guestlist canaries check`, or `guestlist.collect.Canaries` in a Trainer) found any, and \
                  nothing where nobody looked. Records of a classifier are trained on as they stand in the \
                  training file: for them it must lie beside the manifest. Nothing passes either where that \
                  file was changed since the draw.",
    },
    Entry {
        id: "detectable-leak",
        meaning: "The least AUC that so many documents show with 80% power at the 5% level. Where it \
                  is above the gate's threshold, a pass would rest on too few documents.",
    },
    Entry {
        id: "hit-rate",
        meaning: "How often the document itself was among what the service looked up or showed. It \
                  says whether questions reach the store; what the answers give away is measured \
                  apart.",
    },
    Entry {
        id: "ads",
        meaning: "Attribution difference score: what keeping a word of the text does to the answer \
                  with retrieval, less what it does without. Beyond its band the word is called \
                  retrieved, unless the model alone already answers to it. The band comes from \
                  permuting the differences against the masks, so that where retrieval never fires \
                  no more than the level's share of words is called; a fixed band of 0.1, as \
                  published, holds no level. It says that retrieval brought words, not that the \
                  document itself is in the store: another text with the same words does it too.",
    },
    Entry {
        id: "source-accuracy",
        meaning: "The share of documents whose source (pretrained, retrieved, non-member) was called \
                  right, with a Clopper–Pearson interval. Read it beside what the same labels reach \
                  on shuffled documents, and what calling every document the commonest source \
                  reaches; the p-value is the chance of an accuracy as high with shuffled labels.",
    },
    Entry {
        id: "macro-f1",
        meaning: "F1 = 2TP/(2TP + FP + FN) of each source, averaged so that a rare source counts as \
                  much as a common one. Sources that no document has are left out. The interval is \
                  a bootstrap within each source; where all documents of a source are called alike \
                  it is too narrow, and says so.",
    },
    Entry {
        id: "paper-acc",
        meaning: "What the SMA paper (arXiv:2508.09105) prints as ACC: the cosine between the words \
                  called retrieved and what retrieval gave. A likeness, no accuracy, and not to be \
                  compared with one; source-accuracy is the share called right.",
    },
    Entry {
        id: "coverage",
        meaning: "What the SMA paper prints as coverage: of the words of a document that what was \
                  retrieved holds, the share called retrieved. It grows as more words are called, \
                  rightly or not, and is 1 for calling all.",
    },
    Entry {
        id: "joined-scores",
        meaning: "Scores that were made elsewhere and do not depend on each other add up: thirty of AUC .60 tell nearly \
                  every member together. So they are joined, too: a logistic model on every score's rank and its square, \
                  and on products of two ranks (of the first eight scores, one to 20 records at the most), five folds, each \
                  record scored by a model that never saw it (of many records, some drawn by the seed). Where that violates the gate beyond chance (1% level) although no score does, no pass is given.",
    },
    Entry {
        id: "other-checkpoints",
        meaning: "The gate looks at the audited checkpoint alone. Where another one reaches the gate's threshold on the same \
                  texts, by any attack, it is named: an earlier checkpoint that was published leaks, whatever the last \
                  one shows.",
    },
    Entry {
        id: "raised-threshold",
        meaning: "A threshold above the usual 0.65 lets pass what the threat specification warns of (AUC from \
                  0.7 to 0.8) or fails (above 0.8). The audit may pass all the same, because whoever raised \
                  the threshold answers for it; the warning says so to whoever reads the report.",
    },
    Entry {
        id: "beyond-chance",
        meaning: "With few records a high AUC comes by chance. Where the interval of a value at or \
                  above the threshold still holds one half, it is no evidence of a leak, and the audit \
                  does not fail.",
    },
    Entry {
        id: "multiple-attacks",
        meaning: "The best of many attacks on the same records looks better than it is. The \
                  gate's interval is corrected (Bonferroni); --holdout chooses on other records.",
    },
];

pub fn entries() -> impl Iterator<Item = &'static Entry> {
    ENTRIES.iter().chain(terms::TERMS)
}

pub fn find(id: &str) -> Option<&'static Entry> {
    entries().find(|entry| entry.id == id)
}

/// What is called so by others, in small letters with hyphens between words.
pub fn find_synonym(word: &str) -> Option<&'static Entry> {
    let synonym = synonyms().find(|(said, _)| *said == word);
    synonym.and_then(|(_, id)| find(id))
}

/// Words that others use, each with the word that is explained.
pub fn synonyms() -> impl Iterator<Item = (&'static str, &'static str)> {
    synonyms::SYNONYMS.iter().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_guardrail_is_explained() {
        for id in crate::guardrails::ids() {
            assert!(find(id).is_some(), "{id}");
        }
    }

    #[test]
    fn no_word_is_explained_twice() {
        let mut ids: Vec<&str> = entries().map(|entry| entry.id).collect();
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all);
    }

    #[test]
    fn every_synonym_leads_to_a_word_and_hides_none() {
        for (said, id) in synonyms() {
            assert!(find(id).is_some(), "{said} leads to {id}");
            assert!(find(said).is_none(), "{said} is explained itself");
        }
    }
}
