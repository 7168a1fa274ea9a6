//! Target and reference are compared token by token: both must have read the same ones.

use texts::{Asked, Scored, Text};

use crate::Error;

/// Two models must be asked about the same tokens.
pub fn same_tokens(texts: &[Text], target: &Asked, role: &str, asked: &Asked) -> Result<(), Error> {
    let (Asked::Ids(own), Asked::Ids(other)) = (target, asked) else {
        // Compared when both have answered.
        return Ok(());
    };
    let differs = own.iter().zip(other).position(|(own, other)| own != other);
    match differs {
        None => Ok(()),
        Some(place) => Err(Error::usage(
            format!(
                "target and {role} have different vocabularies: text {:?} is {} tokens for the \
                 target and {} for {role}, or other ones",
                texts[place].id,
                own[place].len(),
                other[place].len()
            ),
            "compare with the model that fine-tuning started from: both need the same tokenizer",
        )),
    }
}

/// The same, where a server cut the text into tokens.
pub fn comparable(text: &Text, own: &Scored, reference: &Scored) -> base::Result<()> {
    let same = match (&own.token_ids, &reference.token_ids) {
        (Some(own), Some(other)) => own == other,
        _ => match (&own.pieces, &reference.pieces) {
            (Some(own), Some(other)) => own == other,
            _ => own.logprob.len() == reference.logprob.len(),
        },
    };
    if same {
        return Ok(());
    }
    let message = format!(
        "target and reference cut text {:?} into other tokens ({} and {})",
        text.id,
        own.logprob.len(),
        reference.logprob.len()
    );
    Err(base::Error::new(base::ErrorKind::Mismatch, message)
        .hint("compare with the model that fine-tuning started from"))
}
