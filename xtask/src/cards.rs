//! The libraries that read model cards and bills of materials, for the tests of ours.

use crate::installing::Lack;
use crate::needy::Need;
use crate::python::Modules;

const MODULES: Modules<'static> = Modules {
    name: "cards",
    imports: "huggingface_hub, cyclonedx.validation.json, jsonschema, yaml",
    requirements: "crates/cli/tests/commands/requirements-cards.txt",
    size: "about 30 MB",
};

pub fn need() -> Result<Need, Lack> {
    Ok(Need {
        missing: MODULES.missing()?.into_iter().collect(),
        variables: Box::new(|| Ok(vec![("GUESTLIST_TEST_CARDS_PYTHONPATH", MODULES.path()?)])),
    })
}
