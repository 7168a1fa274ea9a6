//! A figure as a picture of dots. The font comes with the program: machines that run audits often
//! have none. Letters that it lacks (it has Latin, Greek and Cyrillic) become boxes; the SVG has them.

use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{Options, Tree};

use super::{Figure, WIDTH, standalone};

/// Pixels per unit that somebody could want.
const LARGEST_SCALE: f32 = 8.0;

static FONTS: LazyLock<Arc<Database>> = LazyLock::new(|| {
    let mut fonts = Database::new();
    fonts.load_font_data(epaint_default_fonts::UBUNTU_LIGHT.to_vec());
    let family = fonts.faces().next().and_then(|face| face.families.first());
    if let Some((family, _)) = family.cloned() {
        fonts.set_sans_serif_family(family);
    }
    Arc::new(fonts)
});

/// The bytes of a PNG file, `scale` times 640 pixels wide.
pub fn png(figure: &Figure, scale: f32) -> Result<Vec<u8>, String> {
    if !(scale > 0.0 && scale <= LARGEST_SCALE) {
        return Err(format!(
            "a scale of {scale} is not within 0 to {LARGEST_SCALE}"
        ));
    }
    let options = Options {
        fontdb: FONTS.clone(),
        ..Options::default()
    };
    let tree = Tree::from_str(&standalone(figure), &options).map_err(|error| error.to_string())?;
    let size = tree.size();
    let factor = WIDTH as f32 * scale / size.width();
    let (width, height) = (size.width() * factor, size.height() * factor);
    let mut picture = Pixmap::new(width.round() as u32, height.ceil() as u32)
        .ok_or_else(|| format!("a picture of {width} by {height} dots cannot be made"))?;
    resvg::render(
        &tree,
        Transform::from_scale(factor, factor),
        &mut picture.as_mut(),
    );
    picture.encode_png().map_err(|error| error.to_string())
}
