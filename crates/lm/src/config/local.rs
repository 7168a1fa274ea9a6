//! Layers that see only a window of the positions before them.

use super::{Json, Rope};
use crate::{Error, Result};

const SLIDING: &str = "sliding_attention";
const FULL: &str = "full_attention";

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Local {
    /// Positions seen, the last one's own among them.
    pub(crate) window: usize,
    /// Which layers are so.
    pub(crate) layers: Vec<bool>,
    /// Where their positions turn otherwise than those of the other layers.
    pub(crate) rope: Option<Rope>,
}

impl Local {
    /// The layers that `layer_types` lists or, where it does not, the usual ones; nothing where all
    /// layers see everything.
    pub(super) fn new(
        json: &Json,
        layers: usize,
        window: Option<usize>,
        usual: impl Fn(usize) -> bool,
    ) -> Result<Option<Self>> {
        let layers = match json.texts("layer_types")? {
            None => (0..layers).map(usual).collect(),
            Some(kinds) => kinds
                .iter()
                .map(|kind| match kind.as_str() {
                    SLIDING => Ok(true),
                    FULL => Ok(false),
                    _ => Err(Error::unsupported(format!(
                        "layers of type {kind:?} are not supported"
                    ))
                    .hint(format!("supported are {FULL} and {SLIDING}"))),
                })
                .collect::<Result<Vec<bool>>>()?,
        };
        if !layers.contains(&true) {
            return Ok(None);
        }
        match window {
            Some(window) => Ok(Some(Self {
                window,
                layers,
                rope: None,
            })),
            None => Err(Error::malformed(format!(
                "\"layer_types\" has {SLIDING:?} but there is no \"sliding_window\""
            ))),
        }
    }

    /// Every layer alike.
    pub(super) fn everywhere(layers: usize, window: usize) -> Self {
        Self {
            window,
            layers: vec![true; layers],
            rope: None,
        }
    }

    pub(super) fn is(&self, layer: usize) -> bool {
        self.layers.get(layer).copied().unwrap_or(false)
    }

    pub(super) fn check(&self, layers: usize, head: usize) -> Result<()> {
        if self.layers.len() != layers {
            return Err(Error::malformed(format!(
                "\"layer_types\" has {} entries for {layers} layers",
                self.layers.len()
            )));
        }
        if self.window == 0 {
            return Err(Error::malformed("\"sliding_window\" is 0"));
        }
        self.rope.as_ref().map_or(Ok(()), |rope| rope.check(head))
    }
}
