//! Variables for a training program. `${NAME}` is filled in from our own environment when the
//! program starts, and at no other time: what it stands for is written nowhere.

use std::collections::BTreeMap;

use crate::{Error, ErrorKind, Result};

pub fn expand(variables: &BTreeMap<String, String>) -> Result<BTreeMap<String, String>> {
    variables
        .iter()
        .map(|(name, text)| {
            Ok((
                name.clone(),
                value(&format!("command.environment.{name}"), text)?,
            ))
        })
        .collect()
}

pub fn value(name: &str, text: &str) -> Result<String> {
    let mut value = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((wanted, end)) = after.split_once('}') else {
            break;
        };
        value += before;
        value += &std::env::var(wanted).map_err(|_| {
            Error::new(
                ErrorKind::Setting,
                format!("{name} needs ${{{wanted}}}, which is not set"),
            )
            .hint(format!("set {wanted} in the environment of guestlist"))
        })?;
        rest = end;
    }
    Ok(value + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_from_the_environment() {
        let path = std::env::var("PATH").unwrap();
        assert_eq!(value("A", "x${PATH}y").unwrap(), format!("x{path}y"));
        assert_eq!(value("A", "plain $5 ${").unwrap(), "plain $5 ${");
        let error = value("TOKEN", "${NO_SUCH_VARIABLE_HERE}")
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("${NO_SUCH_VARIABLE_HERE}, which is not set"),
            "{error}"
        );
    }
}
