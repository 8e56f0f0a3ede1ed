/** Line of a message. */
export interface Line {
  readonly text: string;
  /** Path that must have a value, or the line is left out. */
  readonly when?: string;
  /** Path of a list: the line is written for each of its first ten, as `item`. */
  readonly each?: string;
}

/** Value of the event that a message shows. */
export interface Fact {
  readonly name: string;
  readonly description: string;
  readonly example: string;
  readonly isRequired?: boolean;
}

/** Text of one shipped message; the layouts make the templates of all channels from it. */
export interface Wording {
  readonly key: string;
  readonly title: string;
  readonly lines: readonly Line[];
  /** Label of the link to the thing itself. */
  readonly open: string;
  readonly facts: readonly Fact[];
}

/** Texts that every message of a language has. */
export interface Language {
  readonly locale: string;
  readonly resolved: string;
  readonly test: string;
  /** Line before the members of a group of several events, and the one after the first ten of them. */
  readonly group: string;
  readonly more: string;
  readonly acknowledge: string;
  readonly messages: readonly Wording[];
}

/** Line of one event of a group or digest. */
export const MEMBER =
  '{{ item.at | time }}: {{ item.kind }} {{ item.attributes.product }} {{ item.attributes.environment }}';

const attribute = (name: string, description: string, example: string): Fact => ({
  name: `event.attributes.${name}`,
  description,
  example,
});
const field = (name: string, description: string, example: string, isRequired = false): Fact => ({
  name: `event.payload.${name}`,
  description,
  example,
  isRequired,
});

const PRODUCT = attribute('product', 'Product', 'shop');
const ENVIRONMENT = attribute('environment', 'Environment', 'production');
const RELEASE = [PRODUCT, attribute('release', 'Version of the release', '1.4.0'), ENVIRONMENT];

/** Values that the layout of PagerDuty reads for every key. */
export const PAGERDUTY_FACTS: readonly Fact[] = [PRODUCT, ENVIRONMENT];

/** Values that the messages of each key read. */
export const FACTS = {
  'approval.needed': [
    ...RELEASE,
    field('approvalsGiven', 'Approvals so far', '1'),
    field('approvalsNeeded', 'Approvals that the environment asks for', '2'),
  ],
  'deployment.failed': [
    ...RELEASE,
    field('failureAnatomy.plainReason', 'Cause in plain words', 'The registry refused our credentials.'),
    field(
      'failureAnatomy.action',
      'Next step',
      'Correct the credentials of the registry’s integration and launch again.',
    ),
    field('failureReason', 'Cause, where there is no anatomy', 'The deployment did not end before its deadline.'),
  ],
  'deployment.landed': RELEASE,
  'drift.seen': [
    ENVIRONMENT,
    attribute('target', 'Target that differs from its approved release', 'web-1'),
    field('observed', 'Components of the target with the digest that runs', '[]'),
  ],
  'alertmanager.alert': [
    attribute('alertname', 'Name of the alert', 'InstanceDown'),
    attribute('instance', 'Instance that the alert is about', 'db-1:9100'),
    field('summary', 'Summary among the annotations of the alert', 'The database has been down for 5 minutes.'),
  ],
  generic: [
    field('summary', 'What happened, in one sentence', 'The certificate of the registry expires in 7 days.'),
    field(
      'message',
      'The same, of producers that call it message',
      'The certificate of the registry expires in 7 days.',
    ),
  ],
  'contact.code': [
    field('code', 'Six digits', '123456', true),
    field('minutes', 'Lifetime of the code in minutes', '15', true),
  ],
  'contact.suppressed': [
    attribute('address', 'Address that takes no messages', 'ana@example.com'),
    field('reason', 'Words of its server', 'The mail server answered 550: no such user'),
  ],
  digest: [],
  test: [],
  'api.deprecation.announced': [
    field('api', 'Interface that ends', 'POST /oauth/token', true),
    field('sunset', 'Instant after which it no longer answers', '2026-05-01T00:00:00Z', true),
    field('successor', 'Interface to use instead', 'POST /token'),
    field('advice', 'Other advice for the move', 'Client registrations stay valid.'),
  ],
} as const satisfies Readonly<Record<string, readonly Fact[]>>;
