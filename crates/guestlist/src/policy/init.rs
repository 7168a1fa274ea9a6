//! The policy that `guestlist init policy` writes: every key there is, and where each number comes from.

/// For whom the model is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// Among people who work with the data anyway.
    Research,
    /// Within an organisation, or to a customer under contract.
    #[default]
    InternalRelease,
    /// To anybody.
    PublicRelease,
}

impl Preset {
    pub const ALL: [Preset; 3] = [
        Preset::Research,
        Preset::InternalRelease,
        Preset::PublicRelease,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Preset::Research => "research",
            Preset::InternalRelease => "internal-release",
            Preset::PublicRelease => "public-release",
        }
    }
}

/// A commented policy.
pub fn policy(preset: Preset) -> String {
    let criteria = match preset {
        Preset::Research => RESEARCH,
        Preset::InternalRelease => INTERNAL_RELEASE,
        Preset::PublicRelease => PUBLIC_RELEASE,
    };
    HEAD.replace("{{name}}", preset.name()) + criteria + FOOT
}

const HEAD: &str = r##"# A policy: what audits must meet, and why. Several audits share one file; each report names it with the
# SHA-256 of its bytes, so that a changed policy is seen.
#
#   guestlist audit signals.npz --policy policy.toml      or policy = "policy.toml" under [audit]
#   guestlist policy check report.json --policy policy.toml
#
# An audit fails where one criterion is violated, and passes only where every one was decided and holds. The
# thresholds below are conventions with a source, not proofs of safety: docs/guide-policy.md says what each
# means for an attacker. Change them, and say why.

name = "{{name}}"
confidence = 0.95              # of every interval, before it is widened for the number of attacks tried

# Whom a pass may hold for: strongest (whoever has all that an auditor can have), target-only (asks the audited
# model and has nothing to compare with), few-shot (knows a few records). A pass against a weaker one than these
# is inconclusive.
attackers = ["strongest"]

"##;

const RESEARCH: &str = r##"[smallest]                     # with fewer records nothing is decided
members = 200                  # so many of each kind could show every threshold below (80% power, 5% level; ε
nonmembers = 200               # by 25 attacks at the most)
slice = 60                     # slices with as many of each kind must be decided where a criterion asks for them

[[criteria]]
measure = "auc"                # auc, advantage, tpr@ with a rate, or epsilon with a delta
scope = "whole"                # whole, slice (each slice by itself) or person
threshold = 0.7                # fails at or above it
rule = "point"                 # point; conservative: the whole interval must lie below; proven: fails only above
why = "The RAG threat specification calls an AUC of 0.7 to 0.8 moderate inference and warns of it."

[[criteria]]
measure = "tpr@0.01"
scope = "whole"
threshold = 0.06
why = "An even leak of AUC 0.7 (two equal normals) names 5.7% of the members at 1% false accusations; more means that some are exposed beyond the average (Carlini et al. 2022 on why low rates are to be looked at)."

[[criteria]]
measure = "epsilon"
delta = 1e-5
scope = "whole"
threshold = 3
why = "A Gaussian mechanism whose best attacker has AUC 0.7 has an epsilon of 3.1 at delta 1e-5 (Dong, Roth and Su 2019)."
"##;

const INTERNAL_RELEASE: &str = r##"[smallest]                     # with fewer records nothing is decided
members = 300                  # so many of each kind could show every threshold below (80% power, 5% level; ε
nonmembers = 300               # by 25 attacks at the most)
slice = 60                     # slices with as many of each kind must be decided where a criterion asks for them

[[criteria]]
measure = "auc"                # auc, advantage, tpr@ with a rate, or epsilon with a delta
scope = "whole"                # whole, slice (each slice by itself) or person
threshold = 0.65               # fails at or above it
rule = "point"                 # point; conservative: the whole interval must lie below; proven: fails only above
why = "The release threshold of the RAG threat specification: 15 points above chance, with room for noise."

[[criteria]]
measure = "tpr@0.01"
scope = "whole"
threshold = 0.04
why = "An even leak of AUC 0.65 (two equal normals) names 3.7% of the members at 1% false accusations; more means that some are exposed beyond the average (Carlini et al. 2022 on why low rates are to be looked at)."

[[criteria]]
measure = "epsilon"
delta = 1e-5
scope = "whole"
threshold = 2
why = "A Gaussian mechanism whose best attacker has AUC 0.65 has an epsilon of 2.2 at delta 1e-5 (Dong, Roth and Su 2019)."
"##;

const PUBLIC_RELEASE: &str = r##"[smallest]                     # with fewer records nothing is decided
members = 1000                 # so many of each kind could show every threshold below (80% power, 5% level; ε
nonmembers = 1000              # by 25 attacks at the most); a rate of 0.1% needs 1,000 non-members to be seen
slice = 60                     # slices with as many of each kind must be decided where a criterion asks for them

[[criteria]]
measure = "auc"                # auc, advantage, tpr@ with a rate, or epsilon with a delta
scope = "whole"                # whole, slice (each slice by itself) or person
threshold = 0.6                # fails at or above it
rule = "point"                 # point; conservative: the whole interval must lie below; proven: fails only above
why = "The RAG threat specification calls weak inference possible from an AUC of 0.6 on; what is public stays public."

[[criteria]]
measure = "auc"
scope = "slice"
threshold = 0.65
why = "A small group must not pay for the average: each slice stays below the release threshold of the RAG threat specification."

[[criteria]]
measure = "tpr@0.001"
scope = "whole"
threshold = 0.01
why = "Attacks are judged by what they name at 0.1% false accusations (Carlini et al. 2022); ten times chance is a convention of ours."

[[criteria]]
measure = "epsilon"
delta = 1e-5
scope = "whole"
threshold = 1
why = "An epsilon of at most 1 is the first tier of Ponomareva et al. 2023, How to DP-fy ML: a strong formal guarantee."
"##;

const FOOT: &str = r##"
# Where records belong to people, hold people to it, too.
# [[criteria]]
# measure = "auc"
# scope = "person"
# threshold = 0.65
# why = "Somebody with many records is exposed by all of them together."
"##;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::read;
    use judge::epsilon::gaussian::epsilon_of;
    use judge::gate::Measure;
    use judge::policy::{Policy, Scope};
    use judge::power::shows;
    use stats::normal::{normal_cdf, normal_quantile};

    fn parsed(text: &str) -> Policy {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("policy.toml");
        std::fs::write(&path, text).unwrap();
        read(&path).unwrap()
    }

    #[test]
    fn every_preset_is_a_policy_and_so_is_what_it_comments_out() {
        for preset in Preset::ALL {
            let text = policy(preset);
            let read = parsed(&text);
            assert_eq!(read.name, preset.name());
            assert!(read.criteria.len() >= 3);
            let opened = |line: &str| match line.strip_prefix("# ") {
                Some(rest) if crate::init::is_setting(rest) => rest.to_owned(),
                _ => line.to_owned(),
            };
            let opened: Vec<String> = text.lines().map(opened).collect();
            let scopes = parsed(&opened.join("\n")).criteria;
            assert!(scopes.iter().any(|one| one.scope == Scope::Person));
        }
    }

    /// The smallest sizes could show what the thresholds forbid, as the comments say.
    #[test]
    fn the_smallest_sizes_can_decide() {
        for preset in Preset::ALL {
            let read = parsed(&policy(preset));
            let smallest = read.smallest;
            for one in &read.criteria {
                let size = match one.scope {
                    Scope::Slice => (smallest.slice, smallest.slice),
                    _ => (smallest.members, smallest.nonmembers),
                };
                assert!(shows(&one.gate, size.0, size.1, 25), "{preset:?} {one:?}");
            }
        }
    }

    /// What the reasons say of two equal normals, computed.
    #[test]
    fn the_numbers_in_the_reasons_are_so() {
        for (auc, rate, epsilon) in [(0.7, 0.057, 3.1), (0.65, 0.037, 2.2)] {
            let apart = std::f64::consts::SQRT_2 * normal_quantile(auc);
            let caught = normal_cdf(normal_quantile(0.01) + apart);
            assert!((caught - rate).abs() < 5e-4, "{auc}: {caught}");
            // Two equal normals so far apart are the trade-off of μ-Gaussian DP.
            assert!((epsilon_of(apart, 1e-5) - epsilon).abs() < 0.05, "{auc}");
        }
        let internal = parsed(&policy(Preset::default()));
        let rates: Vec<f64> = internal.rates().collect();
        assert_eq!(rates, [0.01]);
        assert!(
            internal
                .criteria
                .iter()
                .any(|one| one.gate.measure == Measure::Auc)
        );
    }
}
