//! A Ray for the tests of its executor, started and stopped by the tests themselves; and what Kubernetes
//! knows of its own manifests.

use crate::installing::Lack;
use crate::needy::Need;
use crate::python::Modules;

const RAY: Modules<'static> = Modules {
    name: "ray",
    imports: "ray.dashboard.modules.job.sdk, aiohttp",
    requirements: "crates/cli/tests/ray/requirements.txt",
    size: "about 150 MB",
};

const KUBERNETES: Modules<'static> = Modules {
    name: "kubernetes",
    imports: "kubernetes_validate",
    requirements: "crates/cli/tests/kubernetes/requirements.txt",
    size: "about 25 MB",
};

pub fn need() -> Result<Need, Lack> {
    if !cfg!(target_os = "linux") {
        return Err(Lack::Impossible(
            "they look at processes as Linux has them".into(),
        ));
    }
    modules(RAY, "GUESTLIST_TEST_RAY_PYTHONPATH")
}

pub fn kubernetes() -> Result<Need, Lack> {
    modules(KUBERNETES, "GUESTLIST_TEST_KUBERNETES_PYTHONPATH")
}

fn modules(modules: Modules<'static>, variable: &'static str) -> Result<Need, Lack> {
    Ok(Need {
        missing: modules.missing()?.into_iter().collect(),
        variables: Box::new(move || Ok(vec![(variable, modules.path()?)])),
    })
}
