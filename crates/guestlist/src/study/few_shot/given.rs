//! Which models of which data, with which shadows: what stands in options beside the data.

use std::path::PathBuf;

use super::super::{Studied, check_names};
use crate::{Error, Result};

/// Options as they were typed: `NAME=VALUE`, or the value alone.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// Numbers of models, separated by commas; of all data where no name stands before them.
    pub targets: Vec<String>,
    /// Files of shadow signals.
    pub shadows: Vec<String>,
    /// Files that list members.
    pub members: Vec<String>,
}

/// Data with all that was said of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    pub studied: Studied,
    /// Which models, where there are several.
    pub targets: Vec<usize>,
    /// Shadow signals of the same records under the same models, for attacks that see all.
    pub shadows: Option<PathBuf>,
    /// A list of members, where the data do not say who is one.
    pub members: Option<PathBuf>,
}

impl Given {
    /// Hands every option to the data that it is about.
    pub fn subjects(&self, data: Vec<Studied>) -> Result<Vec<Subject>> {
        check_names(&data)?;
        let subject = |studied| Subject {
            studied,
            targets: Vec::new(),
            shadows: None,
            members: None,
        };
        let mut subjects: Vec<Subject> = data.into_iter().map(subject).collect();
        for text in &self.targets {
            let (place, numbers) = split(text, &subjects, "--target")?;
            let numbers = targets(text, numbers)?;
            let concerned = match place {
                Some(place) => &mut subjects[place..=place],
                None => &mut subjects[..],
            };
            for subject in concerned {
                subject.targets.extend(&numbers);
            }
        }
        for text in &self.shadows {
            let (place, path) = one(text, &subjects, "--shadows")?;
            once(&mut subjects[place].shadows, path, text, "--shadows")?;
        }
        for text in &self.members {
            let (place, path) = one(text, &subjects, "--members")?;
            once(&mut subjects[place].members, path, text, "--members")?;
        }
        for Subject { targets, .. } in &mut subjects {
            let mut seen = Vec::new();
            targets.retain(|target| {
                let new = !seen.contains(target);
                seen.push(*target);
                new
            });
            if targets.is_empty() {
                targets.push(0);
            }
        }
        Ok(subjects)
    }
}

/// The place of the data that are named, and what follows.
fn split<'a>(
    text: &'a str,
    subjects: &[Subject],
    option: &str,
) -> Result<(Option<usize>, &'a str)> {
    let Some((name, value)) = text.split_once('=') else {
        return Ok((None, text));
    };
    let place = subjects.iter().position(|one| one.studied.name == name);
    match place {
        Some(place) => Ok((Some(place), value)),
        None => Err(Error::usage(
            format!("{option} {text}: no data are called {name:?}"),
            format!("there are: {}", names(subjects)),
        )),
    }
}

/// The same of an option that is about one of the data: a name is needed where there are more.
fn one<'a>(text: &'a str, subjects: &[Subject], option: &str) -> Result<(usize, &'a str)> {
    match split(text, subjects, option)? {
        (_, "") => Err(Error::usage(
            format!("{option} {text} names no file"),
            format!("give one: {option} NAME=FILE"),
        )),
        (Some(place), path) => Ok((place, path)),
        (None, path) if subjects.len() == 1 => Ok((0, path)),
        (None, path) => Err(Error::usage(
            format!("{option} {path} does not say which data it is about"),
            format!(
                "write {option} NAME={path}, where NAME is one of: {}",
                names(subjects)
            ),
        )),
    }
}

fn once(there: &mut Option<PathBuf>, path: &str, text: &str, option: &str) -> Result<()> {
    match there.replace(PathBuf::from(path)) {
        None => Ok(()),
        Some(first) => Err(Error::usage(
            format!(
                "{option} {text}: {} was given for the same data",
                first.display()
            ),
            "leave one of them out",
        )),
    }
}

fn targets(text: &str, numbers: &str) -> Result<Vec<usize>> {
    let number = |word: &str| {
        word.trim().parse().map_err(|_| {
            Error::usage(
                format!("--target {text}: {word:?} is no number of a model"),
                "models count from 0: --target 0,1, or of one of several data --target NAME=0,1",
            )
        })
    };
    numbers.split(',').map(number).collect()
}

fn names(subjects: &[Subject]) -> String {
    let names = subjects.iter().map(|one| one.studied.name.as_str());
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(names: &[&str]) -> Vec<Studied> {
        let data = names.iter().map(|name| Studied::parse(name));
        data.collect::<Result<_>>().unwrap()
    }

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn options_go_to_the_data_that_they_name() {
        let given = Given {
            targets: words(&["2", "b=0,1,0"]),
            shadows: words(&["b=x=y.npz"]),
            members: words(&["a=list.txt"]),
        };
        let found = given.subjects(data(&["a=a.npz", "b=b.npz"])).unwrap();
        assert_eq!(found[0].targets, [2]);
        assert_eq!(found[1].targets, [2, 0, 1]);
        assert_eq!(found[0].shadows, None);
        assert_eq!(found[1].shadows, Some("x=y.npz".into()));
        assert_eq!(found[0].members, Some("list.txt".into()));
        let lone = Given {
            shadows: words(&["shadows.npz"]),
            ..Given::default()
        };
        let found = lone.subjects(data(&["a.npz"])).unwrap();
        assert_eq!(found[0].shadows, Some("shadows.npz".into()));
        assert_eq!(found[0].targets, [0]);
    }

    #[test]
    fn what_names_no_data_is_refused() {
        let refused = |given: Given, names: &[&str]| {
            let error = given.subjects(data(names)).unwrap_err();
            error.to_string()
        };
        let shadows = |text: &str| Given {
            shadows: words(&[text]),
            ..Given::default()
        };
        let two = ["a=a.npz", "b=b.npz"];
        assert!(refused(shadows("s.npz"), &two).contains("--shadows NAME=s.npz"));
        assert!(refused(shadows("c=s.npz"), &two).contains("there are: a, b"));
        assert!(refused(shadows("a="), &two).contains("names no file"));
        assert!(refused(Given::default(), &["x/a.npz", "y/a.npz"]).contains("two data sets"));
        let twice = Given {
            shadows: words(&["a=s.npz", "a=t.npz"]),
            ..Given::default()
        };
        assert!(refused(twice, &two).contains("s.npz was given"));
        let wrong = Given {
            targets: words(&["a=first"]),
            ..Given::default()
        };
        assert!(refused(wrong, &two).contains("count from 0"));
    }
}
