-- Why:  guesses at one name are bounded over all addresses together, but not where its owner signs in from.
-- Read: users/back-off.store.ts
-- Lock: none to speak of; a column without a default is added
alter table authority.sign_in_attempts
  -- Of a name at one place: somebody signed in there, and is not made to wait for guesses from elsewhere until then.
  add column known_until timestamptz;
