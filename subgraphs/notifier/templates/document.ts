import { instant, oneOf, patterned } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';

export const CHANNEL_TYPES = ['slack', 'teams', 'email', 'webhook', 'pagerduty'] as const;
export type ChannelType = (typeof CHANNEL_TYPES)[number];

const RENDER_MODES = ['markdown', 'html', 'adaptiveCard', 'plainText', 'json'] as const;
export type RenderMode = (typeof RENDER_MODES)[number];

export const DEPRECATION_SCHEMA = 'notify.template.api-deprecation@1';
export const EVENT_SCHEMA = 'notify.template.event@1';
/** Event key of the deprecation templates (spec 6.2). */
export const DEPRECATION_KEY = 'api.deprecation.announced';

const closed = { additionalProperties: false } as const;
const priority = Type.Optional(
  Type.Unsafe<'low' | 'normal' | 'high' | 'urgent'>(
    Type.Enum(['low', 'normal', 'high', 'urgent'], { default: 'normal' }),
  ),
);
const tags = Type.Optional(Type.Array(Type.String()));

const placeholder = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    description: Type.String(),
    example: Type.Optional(Type.String()),
    required: Type.Optional(Type.Boolean({ default: true })),
  },
  closed,
);
/** Value that a template expects in its context; `name` is its path: `event.attributes.product`. */
export type Placeholder = Static<typeof placeholder>;

const shared = {
  tenantId: Type.String({ minLength: 1 }),
  locale: Type.String({ default: 'en-US', minLength: 1 }),
  body: Type.String({ minLength: 1 }),
  subject: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  renderMode: oneOf(...RENDER_MODES),
  placeholders: Type.Optional(Type.Array(placeholder)),
  createdBy: Type.Optional(Type.String()),
  updatedBy: Type.Optional(Type.String()),
  createdAt: instant,
  updatedAt: instant,
};

/** Template of the kind api-deprecation, as spec 2.3 has it. */
export const deprecationTemplate = Type.Object(
  {
    schemaVersion: Type.Literal(DEPRECATION_SCHEMA),
    templateId: patterned(
      '^api-deprecation-[a-z]+(-[a-z0-9]+)*$',
      'must be api-deprecation- and lower-case words joined by hyphens',
    ),
    ...shared,
    channelType: oneOf('slack', 'teams', 'email', 'webhook'),
    key: Type.Literal(DEPRECATION_KEY),
    format: oneOf('slack', 'teams', 'email', 'webhook', 'json'),
    metadata: Type.Optional(
      Type.Object(
        { priority, category: Type.Optional(Type.Literal('api-governance')), tags },
        { additionalProperties: Type.String() },
      ),
    ),
  },
  closed,
);

/** Template of every other event key. */
export const eventTemplate = Type.Object(
  {
    schemaVersion: Type.Literal(EVENT_SCHEMA),
    templateId: patterned('^[a-z0-9]+(-[a-z0-9]+)*$', 'must be lower-case words joined by hyphens', { maxLength: 120 }),
    ...shared,
    channelType: oneOf(...CHANNEL_TYPES),
    key: patterned('^[a-z][a-z0-9]*([._-][a-z0-9]+)*$', 'must be lower-case words joined by dots', { maxLength: 120 }),
    format: oneOf('slack', 'teams', 'email', 'webhook', 'pagerduty', 'json'),
    metadata: Type.Optional(
      Type.Object({ priority, category: Type.Optional(Type.String()), tags }, { additionalProperties: Type.String() }),
    ),
  },
  closed,
);

type DeprecationTemplate = Static<typeof deprecationTemplate>;
export type EventTemplate = Static<typeof eventTemplate>;
/** Document of a template, as its author writes it. Version and status are kept beside it. */
export type TemplateDocument = DeprecationTemplate | EventTemplate;

interface ChannelRules {
  readonly modes: readonly RenderMode[];
  readonly formats: readonly string[];
}

/** Render modes and formats that fit each channel. */
export const CHANNEL_RULES: Readonly<Record<ChannelType, ChannelRules>> = {
  slack: { modes: ['json', 'markdown', 'plainText'], formats: ['slack'] },
  teams: { modes: ['adaptiveCard', 'markdown', 'plainText'], formats: ['teams'] },
  email: { modes: ['html', 'plainText', 'markdown'], formats: ['email'] },
  webhook: { modes: ['json'], formats: ['webhook', 'json'] },
  pagerduty: { modes: ['json'], formats: ['pagerduty', 'json'] },
};
