use super::*;

#[test]
fn data_may_have_a_name() {
    let named = Studied::parse("Loc-3=data/location.npz").unwrap();
    assert_eq!(
        (named.name.as_str(), named.path),
        ("Loc-3", "data/location.npz".into())
    );
    assert_eq!(
        Studied::parse("data/location.npz").unwrap().name,
        "location"
    );
    for wrong in ["=x.npz", "name=", ""] {
        assert!(Studied::parse(wrong).is_err(), "{wrong}");
    }
}
