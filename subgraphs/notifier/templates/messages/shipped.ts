import {
  CHANNEL_TYPES,
  type ChannelType,
  DEPRECATION_KEY,
  DEPRECATION_SCHEMA,
  EVENT_SCHEMA,
  type Placeholder,
  type TemplateDocument,
} from '../document.ts';
import { SYSTEM_TENANT } from '../resolve.ts';
import { ENGLISH } from './english.ts';
import { GERMAN } from './german.ts';
import { LAYOUTS } from './layouts.ts';
import { type Fact, type Language, PAGERDUTY_FACTS, type Wording } from './wording.ts';

/** Instant of the shipped documents: they change with the program, not by hand. */
const WRITTEN_AT = '2026-11-01T00:00:00Z';

const placeholderOf = ({ name, description, example, isRequired = false }: Fact): Placeholder => ({
  name,
  description,
  example,
  required: isRequired,
});

/** Values of a wording, and those that PagerDuty's own fields read. */
const factsOf = ({ facts }: Wording, channel: ChannelType): readonly Fact[] => {
  const known = new Set(facts.map(({ name }) => name));
  return channel === 'pagerduty' ? [...facts, ...PAGERDUTY_FACTS.filter(({ name }) => !known.has(name))] : facts;
};

/** Members that documents of all kinds share. */
const shared = (language: Language, wording: Wording, channel: ChannelType) => ({
  tenantId: SYSTEM_TENANT,
  locale: language.locale,
  ...LAYOUTS[channel]({ language, wording }),
  placeholders: factsOf(wording, channel).map(placeholderOf),
  createdAt: WRITTEN_AT,
  updatedAt: WRITTEN_AT,
});

const DEPRECATION_CHANNELS = ['slack', 'teams', 'email', 'webhook'] as const;

const deprecationDocuments = (language: Language, wording: Wording): TemplateDocument[] =>
  DEPRECATION_CHANNELS.map((channelType) => ({
    schemaVersion: DEPRECATION_SCHEMA,
    templateId: `api-deprecation-${channelType}-${language.locale}`,
    channelType,
    key: DEPRECATION_KEY,
    ...shared(language, wording, channelType),
    format: channelType,
    metadata: { priority: 'high', category: 'api-governance' },
  }));

const eventDocuments = (language: Language, wording: Wording): TemplateDocument[] =>
  CHANNEL_TYPES.map((channelType) => ({
    schemaVersion: EVENT_SCHEMA,
    templateId: `${wording.key.replaceAll('.', '-')}-${channelType}-${language.locale}`,
    channelType,
    key: wording.key,
    ...shared(language, wording, channelType),
  }));

/** Template documents of the tenant `_system`: every shipped message in each language and for each channel. */
export const SHIPPED_TEMPLATES: readonly TemplateDocument[] = [ENGLISH, GERMAN].flatMap((language) =>
  language.messages.flatMap((wording) =>
    (wording.key === DEPRECATION_KEY ? deprecationDocuments : eventDocuments)(language, wording),
  ),
);
