//! Files and folders for the user alone: what an audit leaves says who was a member. Folders that are
//! made here are 0700 and files 0600 from the moment they exist; a folder that was there already stays as
//! its owner left it. Systems without such modes keep their own rules.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::path::Path;

/// Makes a folder and those above it that are missing.
pub fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Creates a file, or empties the one that is there.
pub fn create(path: &Path) -> io::Result<File> {
    options().write(true).truncate(true).open(path)
}

/// Opens a file to write at its end.
pub fn append(path: &Path) -> io::Result<File> {
    options().append(true).open(path)
}

/// Makes sure that a file of ours is there and private, for libraries that create files as they like.
pub fn claim(path: &Path) -> io::Result<()> {
    let file = append(path)?;
    restrict(&file)
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// An earlier version may have left the file for everybody to read.
#[cfg(unix)]
fn restrict(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    match file.metadata()?.permissions().mode() & 0o077 {
        0 => Ok(()),
        _ => file.set_permissions(std::fs::Permissions::from_mode(0o600)),
    }
}

#[cfg(not(unix))]
fn restrict(_: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).map_or(0, |found| found.permissions().mode() & 0o777)
    }

    #[test]
    fn what_is_made_is_for_the_user_alone() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("a/b");
        make_folder(&folder).unwrap();
        assert_eq!(
            (mode(&folder), mode(&root.path().join("a"))),
            (0o700, 0o700)
        );
        create(&folder.join("one")).unwrap();
        append(&folder.join("two")).unwrap();
        claim(&folder.join("three")).unwrap();
        crate::files::write(&folder.join("four"), b"x").unwrap();
        for name in ["one", "two", "three", "four"] {
            assert_eq!(mode(&folder.join(name)), 0o600, "{name}");
        }
    }

    #[test]
    fn a_folder_that_was_there_stays_as_it_is_and_a_file_of_ours_becomes_private() {
        let root = tempfile::tempdir().unwrap();
        let open = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(root.path(), open.clone()).unwrap();
        make_folder(root.path()).unwrap();
        assert_eq!(mode(root.path()), 0o755);
        let file = root.path().join("audit.sqlite");
        std::fs::write(&file, "kept").unwrap();
        std::fs::set_permissions(&file, open).unwrap();
        claim(&file).unwrap();
        assert_eq!(mode(&file), 0o600);
        assert_eq!(std::fs::read(&file).unwrap(), b"kept");
    }
}
