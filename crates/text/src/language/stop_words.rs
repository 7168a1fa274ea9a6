//! Words that say nothing about a text, by language. Lists of our own, in the order of their bytes.

use super::Language;
use crate::listed::Listed;

pub fn is_stop_word(language: Language, folded: &str) -> bool {
    let further = match language {
        Language::English => return crate::is_stop_word(folded),
        Language::German => &GERMAN_FURTHER,
        Language::French => &FRENCH_FURTHER,
        Language::Spanish => &SPANISH_FURTHER,
        Language::Chinese => return is_function_word(language, folded),
    };
    is_function_word(language, folded) || further.contains(folded)
}

/// Those that hold sentences together, by which a language is recognised.
pub fn is_function_word(language: Language, folded: &str) -> bool {
    let list = match language {
        Language::English => return crate::is_function_word(folded),
        Language::German => &GERMAN,
        Language::French => &FRENCH,
        Language::Spanish => &SPANISH,
        Language::Chinese => &CHINESE,
    };
    let known = |word: &str| list.contains(word);
    // "d'une", "qu'il": both of them small words.
    let elided = |(before, after)| known(before) && known(after);
    known(folded) || (language == Language::French && folded.split_once('\'').is_some_and(elided))
}

#[rustfmt::skip]
static GERMAN: Listed = Listed::new(&[
    "aber", "alle", "allem", "allen", "aller", "alles", "als", "also", "am", "an", "ander",
    "andere", "anderem", "anderen", "anderer", "anderes", "auch", "auf", "aus", "bei", "beim",
    "bin", "bis", "bist", "da", "dabei", "dadurch", "daher", "damit", "dann", "daran", "darauf",
    "darin", "das", "dass", "dein", "deine", "dem", "den", "denn", "der", "deren", "des", "dessen",
    "dich", "die", "dies", "diese", "diesem", "diesen", "dieser", "dieses", "dir", "doch", "dort",
    "du", "durch", "ein", "eine", "einem", "einen", "einer", "eines", "er", "es", "etwa", "etwas",
    "euch", "euer", "für", "gegen", "hab", "habe", "haben", "hat", "hatte", "hatten", "hier", "hin",
    "hinter", "ich", "ihm", "ihn", "ihnen", "ihr", "ihre", "ihrem", "ihren", "ihrer", "im", "in",
    "indem", "ins", "ist", "ja", "jede", "jedem", "jeden", "jeder", "jedes", "jedoch", "jene",
    "jenem", "jenen", "jener", "jetzt", "kann", "kein", "keine", "keinem", "keinen", "keiner",
    "können", "könnte", "man", "mehr", "mein", "meine", "mich", "mir", "mit", "muss", "mussten",
    "nach", "nicht", "nichts", "noch", "nun", "nur", "ob", "oder", "ohne", "sehr", "sein", "seine",
    "seinem", "seinen", "seiner", "seit", "sich", "sie", "sind", "so", "solche", "soll", "sollen",
    "sollte", "sondern", "sowie", "trotz", "um", "und", "uns", "unser", "unter", "viel", "vom",
    "von", "vor", "wann", "war", "waren", "warum", "was", "weg", "weil", "weiter", "welche",
    "welchem", "welchen", "welcher", "welches", "wenn", "wer", "werde", "werden", "wie", "wieder",
    "will", "wir", "wird", "wo", "wollen", "worden", "wurde", "wurden", "während", "zu", "zum",
    "zur", "zwar", "zwischen", "über",
]);

#[rustfmt::skip]
static GERMAN_FURTHER: Listed = Listed::new(&[
    "beide", "dafür", "davon", "dazu", "drei", "eins", "etliche", "ganz", "gar", "immer",
    "innerhalb", "je", "laut", "mal", "meist", "möglich", "nachdem", "neben", "nie", "niemand",
    "oft", "schon", "seitdem", "sogar", "somit", "statt", "stets", "wegen", "wenige", "weniger",
    "zwei",
]);

#[rustfmt::skip]
static FRENCH: Listed = Listed::new(&[
    "afin", "ai", "aient", "ainsi", "alors", "après", "as", "au", "aucun", "aucune", "aussi",
    "autre", "autres", "aux", "avaient", "avait", "avant", "avec", "avoir", "c", "ce", "ceci",
    "cela", "celle", "celles", "celui", "cependant", "ces", "cet", "cette", "ceux", "chaque",
    "chez", "ci", "comme", "comment", "d", "dans", "de", "depuis", "des", "donc", "dont", "du",
    "elle", "elles", "en", "encore", "entre", "est", "et", "eu", "eux", "fait", "font", "furent",
    "fut", "il", "ils", "j", "je", "jusqu", "l", "la", "le", "les", "leur", "leurs", "lors",
    "lorsque", "lui", "là", "m", "ma", "mais", "me", "mes", "moi", "moins", "mon", "même", "n",
    "ne", "ni", "nos", "notre", "nous", "on", "ont", "ou", "où", "par", "parce", "pas", "pendant",
    "peu", "peut", "peuvent", "plus", "pour", "pourquoi", "qu", "quand", "que", "quel", "quelle",
    "quelles", "quels", "qui", "quoi", "s", "sa", "sans", "se", "selon", "sera", "seront", "ses",
    "si", "soit", "son", "sont", "sous", "sur", "t", "ta", "tandis", "te", "tel", "telle", "tels",
    "toi", "ton", "tous", "tout", "toute", "toutes", "très", "tu", "un", "une", "vers", "vos",
    "votre", "vous", "y", "à", "étaient", "était", "étant", "été", "être",
]);

#[rustfmt::skip]
static FRENCH_FURTHER: Listed = Listed::new(&[
    "assez", "beaucoup", "bien", "car", "certaines", "certains", "deux", "déjà", "ensuite",
    "environ", "jamais", "malgré", "mieux", "parmi", "plusieurs", "presque", "puis", "quelque",
    "quelques", "rien", "souvent", "surtout", "tant", "toujours", "trois", "trop",
]);

#[rustfmt::skip]
static SPANISH: Listed = Listed::new(&[
    "a", "al", "algo", "algunas", "algunos", "ante", "antes", "aquel", "aquella", "así", "aun",
    "aunque", "bajo", "bien", "cada", "como", "con", "contra", "cual", "cuales", "cuando", "cuya",
    "cuyo", "de", "del", "desde", "donde", "dos", "durante", "e", "el", "ella", "ellas", "ellos",
    "en", "entre", "era", "eran", "es", "esa", "esas", "ese", "eso", "esos", "esta", "estaba",
    "estaban", "estas", "este", "esto", "estos", "está", "están", "fue", "fueron", "ha", "había",
    "habían", "han", "hasta", "hay", "la", "las", "le", "les", "lo", "los", "me", "mediante", "mi",
    "mientras", "mis", "mucho", "muchos", "muy", "más", "nada", "ni", "no", "nos", "nosotros",
    "nuestra", "nuestro", "o", "os", "otra", "otras", "otro", "otros", "para", "pero", "poco",
    "por", "porque", "pues", "que", "quien", "quienes", "qué", "se", "sea", "según", "ser", "si",
    "sido", "siendo", "sin", "sino", "sobre", "son", "su", "sus", "sí", "tal", "también", "tan",
    "tanto", "te", "tiene", "tienen", "todo", "todos", "tras", "tu", "tus", "un", "una", "unas",
    "uno", "unos", "y", "ya", "yo", "él",
]);

#[rustfmt::skip]
static SPANISH_FURTHER: Listed = Listed::new(&[
    "además", "alguna", "alguno", "apenas", "aquellos", "casi", "cerca", "cierto", "ciertos",
    "cualquier", "debido", "dentro", "después", "entonces", "fuera", "incluso", "jamás", "luego",
    "menos", "misma", "mismo", "mismos", "ninguna", "ningún", "nunca", "puede", "pueden", "siempre",
    "solo", "sólo", "tres", "varias", "varios",
]);

#[rustfmt::skip]
static CHINESE: Listed = Listed::new(&[
    "一", "一个", "一些", "一样", "一种", "上", "下", "不", "不会", "不是", "不能", "不过", "与", "且", "个", "中", "为",
    "为了", "之", "之前", "之后", "之间", "也", "了", "于", "什么", "仍", "仍然", "从", "他", "他们", "以", "以前", "以及",
    "以后", "们", "任何", "会", "但", "但是", "作为", "你", "你们", "使", "使得", "关于", "其", "其中", "其他", "内", "再",
    "几", "则", "到", "前", "包括", "即", "又", "及", "另", "另外", "只", "只是", "只有", "可", "可以", "可能", "各", "各种",
    "同时", "后", "向", "吗", "吧", "呢", "和", "哪", "哪个", "哪些", "啊", "因为", "因此", "在", "地", "外", "多少", "太",
    "她", "她们", "如何", "如果", "它", "它们", "对", "对于", "将", "就", "就是", "属于", "已", "已经", "并", "并且", "应",
    "应该", "当", "往", "很", "得", "怎么", "您", "成为", "我", "我们", "或", "或者", "所", "所以", "所有", "才", "把",
    "按照", "时", "时候", "是", "更", "曾", "曾经", "最", "有", "有些", "有的", "本", "某", "某些", "根据", "正在", "此",
    "此外", "每", "每个", "比", "没", "没有", "然而", "用", "由", "由于", "的", "着", "等", "等等", "给", "而", "而且", "能",
    "能够", "自", "自己", "至", "至于", "若", "虽然", "被", "要", "让", "该", "谁", "还", "还是", "还有", "这", "这个",
    "这些", "这样", "这种", "这里", "进行", "通过", "那", "那个", "那些", "那样", "那种", "那里", "都", "里", "需要", "非常",
]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_in_order() {
        for list in [
            &GERMAN,
            &GERMAN_FURTHER,
            &FRENCH,
            &FRENCH_FURTHER,
            &SPANISH,
            &SPANISH_FURTHER,
            &CHINESE,
        ] {
            assert!(list.is_sorted());
        }
        assert!(is_stop_word(Language::German, "während"));
        assert!(
            is_stop_word(Language::French, "qu'il") && is_stop_word(Language::French, "souvent")
        );
        assert!(!is_function_word(Language::French, "souvent"));
        assert!(is_stop_word(Language::Spanish, "también"));
        assert!(
            is_stop_word(Language::Chinese, "因为") && !is_stop_word(Language::Chinese, "患者")
        );
    }
}
