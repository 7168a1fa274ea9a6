//! Tests that need more than Rust. They are marked `#[ignore = "needs …"]`, and switched on where
//! what they need is there.

use std::ffi::OsString;

use crate::browser;
use crate::example;
use crate::python_package;
use crate::shell::Failed;
use crate::slurm;
use crate::smollm2;
use crate::vectors;

/// Variables for the tests, by which they find what they need.
pub type Variables = Vec<(&'static str, OsString)>;

/// Tests with one need.
struct Needy {
    /// A part of their names that no other test has.
    tests: &'static str,
    /// For people.
    words: &'static str,
    /// Readies what they need, or says why that cannot be.
    ready: fn() -> Result<Variables, Failed>,
}

/// One line per need.
const NEEDY: [Needy; 11] = [
    Needy {
        tests: "on_slurm::",
        words: "Slurm tests",
        ready: slurm::ready_for_tests,
    },
    Needy {
        tests: "scikit_learn_example::",
        words: "tests of the scikit-learn example",
        ready: example::ready_for_tests,
    },
    Needy {
        tests: "python_package_",
        words: "tests of the Python package",
        ready: python_package::ready_for_tests,
    },
    Needy {
        tests: "in_a_browser_",
        words: "tests of pages in a browser",
        ready: browser::ready_for_tests,
    },
    Needy {
        tests: "a_real_openai_server_",
        words: "tests of a real OpenAI-style server",
        ready: || from_environment("GUESTLIST_OPENAI_SERVER"),
    },
    Needy {
        tests: "smollm2_",
        words: "tests of SmolLM2",
        ready: smollm2::ready_for_tests,
    },
    Needy {
        tests: "minilm_",
        words: "tests of all-MiniLM-L6-v2",
        ready: vectors::minilm_for_tests,
    },
    Needy {
        tests: "wordllama_",
        words: "tests of WordLlama",
        ready: vectors::wordllama_for_tests,
    },
    Needy {
        tests: "converted_",
        words: "tests of files that llama.cpp converts",
        ready: || from_environment("GUESTLIST_CONVERTED"),
    },
    Needy {
        tests: "vocabularies_",
        words: "tests of llama.cpp's vocabularies",
        ready: || from_environment("GUESTLIST_VOCABULARIES"),
    },
    Needy {
        tests: "on_cuda_",
        words: "tests on a GPU",
        ready: || from_environment("GUESTLIST_CUDA"),
    },
];

/// What only the developer can provide; [CONTRIBUTING](../../CONTRIBUTING.md) says how.
fn from_environment(name: &'static str) -> Result<Variables, Failed> {
    let value = std::env::var_os(name).ok_or_else(|| Failed(format!("{name} is not set")))?;
    Ok(vec![(name, value)])
}

/// What is tested beside the tests that need nothing.
pub struct Choice {
    skipped: Vec<&'static str>,
    pub variables: Variables,
}

/// Finds out what can be tested here, and says what cannot.
pub fn choose() -> Choice {
    let mut choice = Choice {
        skipped: Vec::new(),
        variables: Vec::new(),
    };
    for needy in NEEDY {
        match (needy.ready)() {
            Ok(variables) => choice.variables.extend(variables),
            Err(Failed(reason)) => {
                eprintln!("{} are skipped: {reason}", needy.words);
                choice.skipped.push(needy.tests);
            }
        }
    }
    choice
}

impl Choice {
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
