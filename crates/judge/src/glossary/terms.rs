//! Words of the field that every report takes for granted.

use super::Entry;

pub(super) static TERMS: &[Entry] = &[
    Entry {
        id: "phi",
        meaning: "φ, the rescaled logit of the true class: ln p − ln(1 − p), where p is the confidence in \
                  it. Computed from logits it is z of the true class less the log of the summed \
                  exponentials of all others, so that nothing is cut off near 1. Confidences crowd at 1; φ \
                  of one record under many shadows is nearly normal, which is what LiRA and BaVarIA fit. A \
                  file of signals holds it as phi [models, records].",
    },
    Entry {
        id: "member",
        meaning: "A record that the audited model was trained on, or a document that a service's store \
                  holds. Non-members come from the same pool and were not. Attacks never see which is \
                  which: the judge alone does, afterwards. In a table: member is true or 1; in shadow \
                  signals: keep is 1.",
    },
    Entry {
        id: "keep",
        meaning: "Which records each model was trained on, [models, records], 1 or 0. The row of the \
                  audited model (--target, the first by default) is the truth that attacks are judged by; \
                  the other rows tell attacks which shadows have seen a record.",
    },
    Entry {
        id: "shadow-models",
        meaning: "Models trained as the audited one was, each on its own random half of the same records. \
                  Of each it is known what it saw, so that a record's value under the audited model can \
                  be compared with its values under models that trained on it (IN) and models that did \
                  not (OUT). guestlist run trains them; guestlist audit reads outputs of models that you \
                  have trained.",
    },
    Entry {
        id: "reference-models",
        meaning: "For language models: the model before fine-tuning, asked about the same tokens. What both \
                  find likely is common knowledge; what the audited one alone finds likely may have been \
                  learned by heart. For classifiers, other models than the audited one are called shadow \
                  models here.",
    },
    Entry {
        id: "target",
        meaning: "The model or service that is audited. In a file of shadow signals it is one row of \
                  models, the first unless --target names another.",
    },
    Entry {
        id: "attacker",
        meaning: "Whom the verdict holds for: what somebody must see and be able to do to reach what the \
                  report says. By default the strongest whom the signals allow; with --attacker \
                  target-only one who asks the audited model and has no others to compare with. A pass \
                  says nothing about a stronger one.",
    },
    Entry {
        id: "guardrails",
        meaning: "Checks of the audit itself: whether what was measured can be believed. Each is ok, a \
                  warning or violated. A violated one that could hide a leak blocks a pass, one that could \
                  feign a leak blocks a fail, and the verdict is then inconclusive, with what to do. \
                  --force overrules them and says so in the first line.",
    },
    Entry {
        id: "roc",
        meaning: "Receiver operating characteristic: the share of members caught (TPR) against the share of \
                  non-members accused (FPR), for every threshold of a score. Records with equal scores \
                  move together; nothing is interpolated. AUC is the area under it; TPR at FPR is one \
                  point of it. Drawn on logarithmic axes, because the left end is where single members \
                  are exposed.",
    },
    Entry {
        id: "interval",
        meaning: "Where the true value lies with the stated confidence (95%), were the same audit done on \
                  other records of the same kind. AUC: DeLong on the logit scale. Rates: \
                  Clopper–Pearson. A stratified bootstrap of both where it was asked for. The gate's \
                  interval is wider, because the best of many attacks was chosen.",
    },
    Entry {
        id: "differential-privacy",
        meaning: "DP: a guarantee about training itself. With (ε, δ)-DP, leaving any one record out changes \
                  the chance of any outcome by at most a factor e^ε, but for a chance of δ; so no attack \
                  whatsoever can exceed TPR ≤ e^ε·FPR + δ. Usually by DP-SGD: gradients are clipped per \
                  record and noise is added. An audit gives lower bounds on ε (see epsilon): it can refute \
                  a claimed ε and cannot prove one.",
    },
    Entry {
        id: "canary",
        meaning: "A record made up for the audit and put into the training data by the flip of a coin, to see \
                  whether it can be found again. Canaries are chosen to be memorised (random tokens rather \
                  than natural text), so that they show the worst case, and since each is in or out by its \
                  own coin, one training run bounds ε. `guestlist canaries` draws them and `guestlist audit \
                  --canaries` judges them. For retrieval services, documents with invented \
                  facts do the same: see controls.",
    },
    Entry {
        id: "tier",
        meaning: "Canaries that were trained on equally often if their coins said so. What is repeated is \
                  remembered better, and says less about one record: a mechanism that grants one record ε \
                  grants r copies of it rε, and a δ that grows faster (group privacy). What an \
                  attack shows by itself rests on the tier that was repeated least; a claim or a threshold on ε \
                  is held against every tier, which share the error.",
    },
    Entry {
        id: "extraction",
        meaning: "How likely a canary is said word for word: the product of its tokens' probabilities, \
                  exp Σ logprob, and 1 − (1 − p)ⁿ for n tries: of the drawn part given what stands before \
                  it (Carlini et al. 2019), where the signals say which tokens it is, and of the whole text. \
                  Canaries that were held out show what guessing does. It stands beside the verdict and has \
                  none of its own.",
    },
    Entry {
        id: "calls",
        meaning: "What is said of records whose membership nobody knows: the owner's \"was mine used?\". A \
                  record is called when hardly any known non-member scores as high: its conformal p-value, \
                  (1 + non-members that score as high) / (n + 1), corrected for all that were asked \
                  (Benjamini–Hochberg), is at most --call-level. Such records enter no measure.",
    },
    Entry {
        id: "p-value",
        meaning: "How often chance alone does as well, or better. A small one says that chance is no \
                  explanation; a large one says that it is, not that there is no leak.",
    },
    Entry {
        id: "what-if",
        meaning: "`guestlist run --what-if dp-sgd` trains the audited model's recipe once more with a defence, \
                  to see what it would cost in accuracy. Nothing else of the audit changes.",
    },
    Entry {
        id: "membership-inference",
        meaning: "Telling from a model's behaviour whether a given record was in its training data. Where \
                  being in the data is itself sensitive (patients of a clinic), that is a leak by itself; \
                  everywhere it is the sign that single records can be read off the model.",
    },
    Entry {
        id: "overfitting",
        meaning: "Being better on what was trained on than on anything else. It is what most attacks live \
                  on, and fewer epochs, more data and regularisation lessen it; but a model whose training \
                  and test accuracy agree can still have learned a few rare records by heart.",
    },
    Entry {
        id: "bonferroni",
        meaning: "Whoever tries many attacks, or looks at many slices, finds something by chance. Bonferroni \
                  divides the level by the number of looks; Holm does the same step by step and loses \
                  less. Here: the gate's interval is corrected for attacks, p-values of slices by Holm.",
    },
];
