//! Tests that need more than Rust. They are marked `#[ignore = "needs …"]`, and switched on where
//! what they need is there.

use std::ffi::OsString;

use crate::browser;
use crate::cards;
use crate::example;
use crate::installing::{Installation, Lack};
use crate::linters;
use crate::python;
use crate::python_package;
use crate::ray;
use crate::shell::Failed;
use crate::slurm;
use crate::smollm2;
use crate::vectors;

/// Variables for the tests, by which they find what they need.
pub type Variables = Vec<(&'static str, OsString)>;

/// What is missing, and what the tests are told once it is there.
pub struct Need {
    pub missing: Vec<Installation>,
    pub variables: Box<dyn FnOnce() -> Result<Variables, Lack>>,
}

/// Tests with one need.
struct Needy {
    /// A part of their names that no other test has.
    tests: &'static str,
    /// For people.
    words: &'static str,
    /// Finds out what they need here, and installs nothing.
    need: fn() -> Result<Need, Lack>,
}

/// One line per need.
const NEEDY: [Needy; 20] = [
    Needy {
        tests: "on_slurm::",
        words: "Slurm tests",
        need: slurm::need,
    },
    Needy {
        tests: "on_ray::",
        words: "Ray tests",
        need: ray::need,
    },
    Needy {
        tests: "kubernetes_takes_",
        words: "tests of manifests by the schema of Kubernetes",
        need: ray::kubernetes,
    },
    Needy {
        tests: "cards_are_read_",
        words: "tests of model cards and bills of materials",
        need: cards::need,
    },
    Needy {
        tests: "scikit_learn_example::",
        words: "tests of the scikit-learn example",
        need: example::need,
    },
    Needy {
        tests: "page_by_python_",
        words: "tests of pages that Python writes",
        need: python::alone,
    },
    Needy {
        tests: "python_package_",
        words: "tests of the Python package",
        need: python_package::need,
    },
    Needy {
        // They are among those of the Python package, which find out for themselves.
        tests: "python_torch_",
        words: "tests of the Python package with PyTorch",
        need: python_package::torch,
    },
    Needy {
        tests: "python_pipelines_",
        words: "tests of the Python package with LangChain, LlamaIndex and Haystack",
        need: python_package::pipelines,
    },
    Needy {
        tests: "python_trackers_",
        words: "tests of the Python package with MLflow, Weights & Biases and TensorBoard",
        need: python_package::trackers,
    },
    Needy {
        tests: "python_linters_",
        words: "tests of workflows by actionlint, shellcheck and hadolint",
        need: linters::need,
    },
    Needy {
        tests: "in_a_browser_",
        words: "tests of pages in a browser",
        need: browser::need,
    },
    Needy {
        tests: "a_real_openai_server_",
        words: "tests of a real OpenAI-style server",
        need: || from_environment("GUESTLIST_OPENAI_SERVER"),
    },
    Needy {
        tests: "smollm2_",
        words: "tests of SmolLM2",
        need: smollm2::need,
    },
    Needy {
        tests: "minilm_",
        words: "tests of all-MiniLM-L6-v2",
        need: vectors::minilm,
    },
    Needy {
        tests: "wordllama_",
        words: "tests of WordLlama",
        need: vectors::wordllama,
    },
    Needy {
        tests: "converted_",
        words: "tests of files that llama.cpp converts",
        need: || from_environment("GUESTLIST_CONVERTED"),
    },
    Needy {
        tests: "gemma3_in_gguf_",
        words: "tests of Gemma 3 270M",
        need: || from_environment("GUESTLIST_GEMMA3"),
    },
    Needy {
        tests: "vocabularies_",
        words: "tests of llama.cpp's vocabularies",
        need: || from_environment("GUESTLIST_VOCABULARIES"),
    },
    Needy {
        tests: "on_cuda_",
        words: "tests on a GPU",
        need: || from_environment("GUESTLIST_CUDA"),
    },
];

/// What only the developer can provide; [CONTRIBUTING](../../CONTRIBUTING.md) says how.
fn from_environment(name: &'static str) -> Result<Need, Lack> {
    let value = std::env::var_os(name);
    let value = value.ok_or_else(|| Lack::Impossible(format!("{name} is not set")))?;
    Ok(Need {
        missing: Vec::new(),
        variables: Box::new(move || Ok(vec![(name, value)])),
    })
}

/// How much is done for tests that need more.
#[derive(Clone, Copy)]
pub struct InstallPolicy {
    /// Installs what is missing.
    pub installs: bool,
    /// What could be installed and was left out is a failure.
    pub strict: bool,
}

/// What each kind of tests needs.
pub struct Plan {
    needs: Vec<(Needy, Result<Need, Lack>)>,
    policy: InstallPolicy,
}

/// Finds out what is missing, and says what will be installed.
pub fn plan(policy: InstallPolicy) -> Plan {
    let needs = NEEDY.map(|needy| {
        let need = (needy.need)();
        (needy, need)
    });
    let plan = Plan {
        needs: needs.into(),
        policy,
    };
    plan.announce();
    plan
}

impl Plan {
    fn announce(&self) {
        let lines: Vec<String> = self.needs.iter().flat_map(lines).collect();
        if lines.is_empty() {
            return;
        }
        match self.policy.installs {
            true => eprintln!("Some tests need more than Rust. This will be installed:"),
            false => eprintln!("Some tests need more than Rust. This is missing, and stays so:"),
        }
        for line in lines {
            eprintln!("  {line}");
        }
        if self.policy.installs {
            eprintln!("(`cargo xtask test --no-install` does without.)");
        }
    }

    /// Installs what is missing, and says what cannot be tested.
    pub fn fulfil(self) -> Choice {
        let mut choice = Choice {
            strict: self.policy.strict,
            ..Choice::default()
        };
        for (needy, need) in self.needs {
            let ready = need.and_then(|need| need.fulfil(self.policy.installs));
            match ready {
                Ok(variables) => choice.variables.extend(variables),
                Err(lack) => choice.skip(&needy, lack),
            }
        }
        choice
    }
}

fn lines((needy, need): &(Needy, Result<Need, Lack>)) -> Vec<String> {
    let missing = need.iter().flat_map(|need| &need.missing);
    let line = |one: &Installation| format!("for {}: {}", needy.words, one.line());
    missing.map(line).collect()
}

impl Need {
    fn fulfil(self, installs: bool) -> Result<Variables, Lack> {
        for missing in self.missing {
            if !installs {
                return Err(Lack::Uninstalled(format!("{} is missing", missing.what)));
            }
            (missing.install)()?;
        }
        (self.variables)()
    }
}

/// What is tested beside the tests that need nothing.
#[derive(Default)]
pub struct Choice {
    skipped: Vec<&'static str>,
    /// Of these, what could have been installed.
    wanting: Vec<&'static str>,
    strict: bool,
    pub variables: Variables,
}

impl Choice {
    fn skip(&mut self, needy: &Needy, lack: Lack) {
        let reason = match lack {
            Lack::Uninstalled(reason) => {
                self.wanting.push(needy.words);
                reason
            }
            Lack::Impossible(reason) => reason,
        };
        eprintln!("{} are skipped: {reason}", needy.words);
        self.skipped.push(needy.tests);
    }

    /// Nobody reads what continuous integration skips.
    pub fn complete(&self) -> Result<(), Failed> {
        match self.strict && !self.wanting.is_empty() {
            true => Err(Failed(format!(
                "what they need could be installed: {}",
                self.wanting.join(", ")
            ))),
            false => Ok(()),
        }
    }

    /// Every test but those skipped.
    pub fn for_nextest(&self) -> Vec<String> {
        let mut arguments = vec!["--run-ignored".into(), "all".into()];
        if !self.skipped.is_empty() {
            let names = self.skipped.iter().map(|name| format!("test({name})"));
            let names: Vec<String> = names.collect();
            arguments.extend(["-E".into(), format!("not ({})", names.join(" | "))]);
        }
        arguments
    }

    /// The same in the words of Rust's own test runner.
    pub fn for_cargo_test(&self) -> Vec<String> {
        let mut arguments = vec!["--include-ignored".into()];
        for name in &self.skipped {
            arguments.extend(["--skip".into(), (*name).into()]);
        }
        arguments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needy(words: &'static str) -> Needy {
        Needy {
            tests: words,
            words,
            need: || from_environment("GUESTLIST_NOTHING"),
        }
    }

    #[test]
    fn what_could_be_installed_may_be_skipped_by_people_and_not_by_machines() {
        let skipped = |strict| {
            let mut choice = Choice {
                strict,
                ..Choice::default()
            };
            choice.skip(&needy("a GPU"), Lack::Impossible("is not here".into()));
            assert!(choice.complete().is_ok());
            choice.skip(&needy("Slurm"), Lack::Uninstalled("no network".into()));
            choice.complete()
        };
        assert!(skipped(false).is_ok());
        assert!(skipped(true).is_err_and(|Failed(what)| what.ends_with(": Slurm")));
    }

    #[test]
    fn nothing_is_installed_where_that_is_not_wanted() {
        let need = Need {
            missing: vec![Installation {
                what: "a browser".into(),
                place: "the system".into(),
                size: "300 MB",
                install: Box::new(|| panic!("it was not wanted")),
            }],
            variables: Box::new(|| Ok(Vec::new())),
        };
        assert!(matches!(need.fulfil(false), Err(Lack::Uninstalled(_))));
    }
}
