//! The run's folder: what counts as finished, what comes back, what is swept up.

use super::*;

fn store() -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    store.prepare().unwrap();
    (folder, store)
}

fn ingredients(epochs: &str) -> Ingredients {
    let mut ingredients = Ingredients::default();
    ingredients.add("training.epochs", epochs);
    ingredients
}

fn train(store: &Store, model: usize, ingredients: &Ingredients) {
    let scratch = store.scratch(model).unwrap();
    let keep = MemberRow::from_fn(4, |record| record < 2);
    let output = Output {
        phi: vec![0.5; 4],
        augmentations: 1,
        right: None,
        files: vec![("training.json", b"{}".to_vec())],
    };
    store
        .commit(
            &scratch,
            model,
            &keep,
            &output,
            ingredients,
            Duration::from_millis(1500),
        )
        .unwrap();
}

#[test]
fn a_model_is_done_until_an_ingredient_changes() {
    let (_folder, store) = store();
    let now = ingredients("3");
    assert_eq!(store.state(7, &now), State::Open);
    train(&store, 7, &now);
    assert_eq!(store.state(7, &now), State::Done);
    // The clock of a file system is coarse, and the time to write it comes on top.
    assert!(store.seconds(7).is_some_and(|seconds| seconds > 1.4));
    assert_eq!(store.seconds(8), None);
    let State::Stale(why) = store.state(7, &ingredients("4")) else {
        panic!("an epoch more must matter");
    };
    assert_eq!(why, "training.epochs changed from 3 to 4");
}

#[test]
fn a_model_that_was_set_aside_comes_back() {
    let (_folder, store) = store();
    train(&store, 1, &ingredients("3"));
    assert!(!store.refresh(1, &ingredients("4")).unwrap());
    assert_eq!(store.state(1, &ingredients("4")), State::Open);
    train(&store, 1, &ingredients("4"));
    assert!(store.refresh(1, &ingredients("3")).unwrap());
    assert_eq!(store.state(1, &ingredients("3")), State::Done);
    assert!(store.refresh(1, &ingredients("4")).unwrap());
}

#[test]
fn damage_is_seen_and_mended() {
    let (_folder, store) = store();
    let now = ingredients("3");
    train(&store, 0, &now);
    let scores = store.model(0).join("scores.npy");
    let mut bytes = fs::read(&scores).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&scores, bytes).unwrap();
    assert_eq!(
        store.state(0, &now),
        State::Stale("its scores.npy was changed or damaged".into())
    );
    assert!(!store.refresh(0, &now).unwrap());
    train(&store, 0, &now);
    assert_eq!(store.state(0, &now), State::Done);
    fs::remove_file(store.model(0).join("training.json")).unwrap();
    assert_eq!(
        store.state(0, &now),
        State::Stale("its training.json is gone".into())
    );
}

#[test]
fn the_second_of_two_equal_models_changes_nothing() {
    let (_folder, store) = store();
    let now = ingredients("3");
    train(&store, 2, &now);
    let written = fs::metadata(store.model(2).join(CARD))
        .unwrap()
        .modified()
        .unwrap();
    train(&store, 2, &now);
    let again = fs::metadata(store.model(2).join(CARD))
        .unwrap()
        .modified()
        .unwrap();
    assert_eq!(written, again);
    assert_eq!(fs::read_dir(store.path().join("work")).unwrap().count(), 0);
}

#[test]
fn a_second_run_waits_its_turn_and_sweeping_spares_the_living() {
    let (_folder, store) = store();
    let lock = store.lock().unwrap();
    assert_eq!(store.lock().unwrap_err().kind, ErrorKind::Exists);
    drop(lock);
    let _again = store.lock().unwrap();
    let alive = store.scratch(3).unwrap();
    let dead = store.path().join("work/00004-dead");
    fs::create_dir(&dead).unwrap();
    fs::write(dead.join(LOCK), "").unwrap();
    store.sweep();
    assert!(alive.path().exists());
    assert!(!dead.exists());
}
