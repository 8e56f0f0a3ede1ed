-- Why:  a mail to a person has a link that ends mails of its kind, unless it is critical.
-- Read: deliveries/jobs.store.ts
-- Lock: notify.deliveries for a moment
alter table notify.deliveries
  -- Kind of events that the person may unsubscribe from by this message.
  add column unsubscribe_kind text;
