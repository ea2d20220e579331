//! Closed words: enums whose variants are fixed texts on the wire, in the log and in tables.

/// The error for a text that is not one of a closed set's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("unknown name")]
pub struct UnknownName;

/// Declares an enum of words, each variant with its text. `ALL` has the variants in the order of their declaration; `as_str`, `Display`
/// and serde give the text; `FromStr`, `TryFrom<String>` (for `#[column(from = String)]` of the store) and serde read it. Derives of the enum
/// beside those of a plain value (`Default`, `ToSchema`) stay with the caller, which needs a dependency on serde.
///
/// Other texts are refused with [`UnknownName`](crate::words::UnknownName), or, if a text comes after the enum's name, with this `&'static str`,
/// by serde, too.
#[macro_export]
macro_rules! words {
    (@declare $(#[$attribute:meta])* $vis:vis enum $name:ident, $error:ty, $unknown:expr;
     $($(#[$of_variant:meta])* $variant:ident = $text:tt),+ $(,)?) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        $(#[$attribute])*
        $vis enum $name {
            $($(#[$of_variant])* #[serde(rename = $text)] $variant,)+
        }

        impl $name {
            /// All values, in order.
            $vis const ALL: [Self; [$($text),+].len()] = [$(Self::$variant),+];

            /// The text on the wire and in tables.
            $vis const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $error;

            fn from_str(text: &str) -> Result<Self, $error> {
                Self::ALL.into_iter().find(|word| word.as_str() == text).ok_or($unknown)
            }
        }

        impl TryFrom<String> for $name {
            type Error = $error;

            fn try_from(text: String) -> Result<Self, $error> {
                text.parse()
            }
        }
    };
    ($(#[$attribute:meta])* $vis:vis enum $name:ident { $($words:tt)+ }) => {
        $crate::words! {
            @declare $(#[$attribute])* $vis enum $name, $crate::words::UnknownName, $crate::words::UnknownName; $($words)+
        }
    };
    ($(#[$attribute:meta])* $vis:vis enum $name:ident, $expected:literal { $($words:tt)+ }) => {
        $crate::words! {
            @declare #[serde(try_from = "String")] $(#[$attribute])* $vis enum $name, &'static str, $expected; $($words)+
        }
    };
}

#[cfg(test)]
mod tests {
    use super::UnknownName;

    words! {
        /// A colour of a traffic light.
        #[derive(Default)]
        enum Light {
            /// Stop.
            #[default]
            Red = "red",
            /// Stop soon.
            LateGreen = "late-green",
        }
    }

    words! {
        /// A way to turn.
        enum Turn, "expected left or right" {
            /// To the left.
            Left = "left",
            /// To the right.
            Right = "right",
        }
    }

    #[test]
    fn words_survive_their_texts() {
        for light in Light::ALL {
            assert_eq!(light.to_string(), light.as_str());
            assert_eq!((light.as_str().parse(), Light::try_from(light.to_string())), (Ok(light), Ok(light)));
            assert_eq!(serde_json::to_value(light).unwrap(), light.as_str());
            assert_eq!(serde_json::from_value::<Light>(light.as_str().into()).unwrap(), light);
        }
        for turn in Turn::ALL {
            assert_eq!(serde_json::to_value(turn).unwrap(), turn.as_str());
            assert_eq!(serde_json::from_value::<Turn>(turn.as_str().into()).unwrap(), turn);
        }
        assert_eq!((Light::default(), Light::ALL), (Light::Red, [Light::Red, Light::LateGreen]));
    }

    #[test]
    fn other_texts_are_refused() {
        assert_eq!(("Red".parse::<Light>(), "".parse::<Turn>()), (Err(UnknownName), Err("expected left or right")));
        let refused = serde_json::from_str::<Light>("\"Red\"").unwrap_err().to_string();
        assert!(refused.starts_with("unknown variant `Red`, expected `red` or `late-green`"), "{refused}");
        let refused = serde_json::from_str::<Turn>("\"up\"").unwrap_err().to_string();
        assert!(refused.starts_with("expected left or right"), "{refused}");
    }
}
