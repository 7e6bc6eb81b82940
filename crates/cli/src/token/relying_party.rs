//! For whom assertions of passkeys are accepted: `--rp-id`, `--origin`, `--user-verification`.

use klero_token::RelyingParty;

/// The relying party of passkeys that hold tokens or make statements.
#[derive(clap::Args)]
pub struct RelyingPartyArgs {
    /// Domain whose passkeys are accepted, such as example.org; without it, what a passkey signed is
    /// invalid
    #[arg(long, value_name = "DOMAIN", requires_all = ["origins", "roots"], value_parser = domain)]
    rp_id: Option<String>,
    /// Page that may ask these passkeys: its origin as browsers write it, such as
    /// https://www.example.org, without a slash at the end; may be repeated
    #[arg(long = "origin", value_name = "ORIGIN", requires = "rp_id", value_parser = origin)]
    origins: Vec<String>,
    /// The passkey must have verified its user, by a PIN or a fingerprint for example, and not only
    /// have noticed that somebody is there
    #[arg(long, requires = "rp_id")]
    user_verification: bool,
}

impl RelyingPartyArgs {
    /// The relying party, if there is one.
    pub fn get(&self) -> Option<RelyingParty> {
        self.rp_id.clone().map(|id| RelyingParty {
            id,
            origins: self.origins.clone(),
            user_verification: self.user_verification,
        })
    }
}

/// Refuses what no passkey belongs to: an origin, in most cases.
fn domain(text: &str) -> Result<String, String> {
    let other = |c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '-'));
    match text.is_empty() || text.contains(other) {
        true => Err("expected a domain in lower case, such as example.org".into()),
        false => Ok(text.to_owned()),
    }
}

/// Refuses what no browser writes as the origin of a page. Applications have other ones, such as
/// `android:apk-key-hash:…`.
fn origin(text: &str) -> Result<String, String> {
    let host = match text.split_once(':') {
        Some((scheme, rest)) if !scheme.is_empty() => rest.strip_prefix("//").unwrap_or(rest),
        _ => "",
    };
    let other = |c: char| !c.is_ascii_graphic() || matches!(c, '/' | '"' | '\\');
    match host.is_empty() || host.contains(other) {
        true => Err(
            "expected scheme and host, and no slash behind them, such as \
                     https://www.example.org"
                .into(),
        ),
        false => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::{domain, origin};

    #[test]
    fn what_can_never_match_is_refused() {
        for id in ["example.org", "localhost", "xn--4ca.example"] {
            assert_eq!(domain(id).as_deref(), Ok(id));
        }
        for id in [
            "",
            "https://example.org",
            "example.org/",
            "example.org:443",
            "Example.org",
            "é.example",
        ] {
            assert!(domain(id).is_err(), "{id}");
        }
        for page in [
            "https://example.org",
            "http://localhost:8017",
            "android:apk-key-hash:0123_-A",
            "chrome-extension://abc",
        ] {
            assert_eq!(origin(page).as_deref(), Ok(page));
        }
        for page in [
            "",
            "example.org",
            "https://",
            "https:",
            "://example.org",
            "https://example.org/",
            "https://example.org/login",
            "https://example.org ",
            "https://é.example",
        ] {
            assert!(origin(page).is_err(), "{page}");
        }
    }
}
