//! Accounts of owners: e-mail addresses, which are sealed, and hashes of passwords.

use buildtrack_domain::{identity::EmailAddress, ids::OwnerId};
use buildtrack_macros::boxed;

use crate::{
    StoreError,
    database::{Tx, columns::parse, values},
    identity::Identity,
    sealing::Purpose,
};

/// An owner's login and e-mail address.
#[derive(Debug, Clone)]
pub struct Account {
    /// Keyed hash of the address, by which the account is found.
    pub email_hash: String,
    /// The e-mail address.
    pub email: String,
    /// The password's argon2id hash (PHC string).
    pub password_hash: String,
}

/// Creates an account. An address is its keyed hash and its sealed text.
pub(super) async fn create(
    tx: &mut Tx<'_>,
    owner_id: OwnerId,
    (email_hash, email_sealed): (&str, &str),
    password_hash: &str,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO accounts (owner_id, email_hash, email_sealed, password_hash) VALUES ($1, $2, $3, $4)",
        values![owner_id.to_string(), email_hash, email_sealed, password_hash],
    )
    .await?;
    Ok(())
}

pub(super) async fn set_password(tx: &mut Tx<'_>, owner_id: OwnerId, password_hash: &str) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE accounts SET password_hash = $2 WHERE owner_id = $1",
        values![owner_id.to_string(), password_hash],
    )
    .await?;
    Ok(())
}

pub(super) async fn set_email(
    tx: &mut Tx<'_>,
    owner_id: OwnerId,
    (email_hash, email_sealed): (&str, &str),
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE accounts SET email_hash = $2, email_sealed = $3 WHERE owner_id = $1",
        values![owner_id.to_string(), email_hash, email_sealed],
    )
    .await?;
    Ok(())
}

/// An address in its one form. One that no mail can be sent to counts as earlier versions stored it.
fn one_form(email: &str) -> String {
    email.parse().map_or_else(|_| earlier_form(email), |address: EmailAddress| address.to_string())
}

/// An address as earlier versions stored it: the domain is not in punycode.
fn earlier_form(email: &str) -> String {
    email.trim().to_lowercase()
}

#[boxed]
impl Identity {
    /// The keyed hash that finds an address, and the sealed address, both of its one form.
    pub fn sealed_email(&self, email: &str) -> Result<(String, String), StoreError> {
        let (email, secret) = (one_form(email), self.log.secret());
        Ok((secret.keyed_hash(&email), secret.seal(Purpose::EmailAddress, &email)?))
    }

    /// The account with this e-mail address: the owner, and the password's hash. The number of statements depends on the address
    /// alone, so that it does not tell whether there is an account.
    pub async fn account_with_email(&self, email: &str) -> Result<Option<(OwnerId, String)>, StoreError> {
        let (one, earlier) = (one_form(email), earlier_form(email));
        let found = self.account(&self.log.secret().keyed_hash(&one)).await?;
        if one == earlier {
            return Ok(found);
        }
        let found_earlier = self.account(&self.log.secret().keyed_hash(&earlier)).await?;
        Ok(found.or(found_earlier))
    }

    /// The owner with this e-mail address (its keyed hash), with the password's hash.
    pub async fn account(&self, email_hash: &str) -> Result<Option<(OwnerId, String)>, StoreError> {
        let row: Option<(String, String)> = self
            .db
            .optional("SELECT owner_id, password_hash FROM accounts WHERE email_hash = $1", values![email_hash])
            .await?;
        row.map(|(owner_id, hash)| Ok((parse(&owner_id)?, hash))).transpose()
    }

    /// An owner's account.
    pub async fn account_of(&self, owner_id: OwnerId) -> Result<Option<Account>, StoreError> {
        let row: Option<(String, String, String)> = self
            .db
            .optional(
                "SELECT email_hash, email_sealed, password_hash FROM accounts WHERE owner_id = $1",
                values![owner_id.to_string()],
            )
            .await?;
        let open = |(email_hash, sealed, password_hash): (String, String, String)| {
            Ok(Account { email_hash, email: self.log.secret().open(Purpose::EmailAddress, &sealed)?, password_hash })
        };
        row.map(open).transpose()
    }
}
