//! Texts that come again and again: a passage stands beside many answers, and lies in memory once.

use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use text::HashSet;

/// A text that may be somebody else's too.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SharedText(Arc<str>);

impl SharedText {
    pub fn as_str(&self) -> &str {
        self
    }
}

impl Deref for SharedText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl std::borrow::Borrow<str> for SharedText {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl PartialEq<&str> for SharedText {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl From<String> for SharedText {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl From<&str> for SharedText {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl Serialize for SharedText {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for SharedText {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from).map(Self::from)
    }
}

/// Every text that came so far, once.
#[derive(Debug, Default)]
pub struct SharedTexts(HashSet<SharedText>);

impl SharedTexts {
    /// The same text, where it lies already.
    pub fn share(&mut self, text: &mut SharedText) {
        match self.0.get(&**text) {
            Some(known) => *text = known.clone(),
            None => {
                self.0.insert(text.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_lie_in_one_place() {
        let mut texts = SharedTexts::default();
        let (mut one, mut two) = (SharedText::from("a"), SharedText::from("a".to_owned()));
        texts.share(&mut one);
        texts.share(&mut two);
        assert!(Arc::ptr_eq(&one.0, &two.0));
        let mut other = SharedText::from("b");
        texts.share(&mut other);
        assert_eq!(&*other, "b");
        assert_eq!(serde_json::to_string(&other).unwrap(), "\"b\"");
        assert_eq!(serde_json::from_str::<SharedText>("\"b\"").unwrap(), other);
    }
}
