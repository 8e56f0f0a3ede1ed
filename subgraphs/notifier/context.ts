import type { Caller } from '@landfall/kernel/core/caller';
import type { Channels } from './channels/channels.ts';
import type { WebhookSecrets } from './channels/webhook-secrets.ts';
import type { DeadLetters } from './deliveries/dead-letters.ts';
import type { Deliveries } from './deliveries/deliveries.ts';
import type { Loaders } from './loaders.ts';
import type { ContactMethods } from './people/contact-methods.ts';
import type { NotificationPreferences } from './people/preferences.ts';
import type { PermanentPolicies } from './policies/permanent-policies.ts';
import type { NotificationPolicies } from './policies/policies.ts';
import type { ChannelTest } from './routing/channel-test.ts';
import type { Explanation } from './routing/explanation.ts';
import type { Replay } from './routing/replay.ts';
import type { RuleTest } from './routing/rule-test.ts';
import type { Rules } from './rules/rules.ts';
import type { Templates } from './templates/templates.ts';

export interface Context {
  readonly caller: Caller;
  readonly channels: Channels;
  readonly secrets: WebhookSecrets;
  readonly rules: Rules;
  readonly policies: NotificationPolicies & PermanentPolicies;
  readonly templates: Templates;
  readonly contactMethods: ContactMethods;
  readonly preferences: NotificationPreferences;
  readonly deliveries: Deliveries;
  readonly deadLetters: DeadLetters;
  readonly explanation: Explanation;
  readonly testChannel: ChannelTest;
  readonly testRule: RuleTest;
  readonly replay: Replay;
  readonly loaders: Loaders;
}
