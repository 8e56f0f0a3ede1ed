import type { ChannelType, RenderMode } from '../document.ts';
import { type Language, type Line, MEMBER, type Wording } from './wording.ts';

/** Message of one language before it is laid out for a channel. */
interface Text {
  readonly language: Language;
  readonly wording: Wording;
}

/** Part of a template document that differs by channel. */
interface Layout {
  readonly renderMode: RenderMode;
  readonly format: ChannelType;
  readonly body: string;
  readonly subject?: string;
}

/** Reason and time. A code has no reason: its reader asked for it. */
const footerOf = ({ wording: { key } }: Text): string =>
  key === 'contact.code' ? '{{ event.at | time }}' : '{{ reason.text }} · {{ event.at | time }}';

const titleOf = ({ language, wording }: Text): string =>
  `{% if reason.code == 'test' %}${language.test}{% elsif event.status == 'resolved' and reason.code != 'digest' %}${language.resolved}{% endif %}${wording.title}`;

/** One line in a layout, between what opens and ends it, and only where it has something to say. */
const lineOf = ({ text, when, each }: Line, open: string, end: string): string => {
  const line = `${open}${text}${end}`;
  if (each !== undefined) return `{% for item in ${each} limit: 10 %}${line}{% endfor %}`;
  return when === undefined ? line : `{% if ${when} != blank %}${line}{% endif %}`;
};

const linesOf = ({ language, wording }: Text, open: string, end: string): string => {
  const lines = wording.lines.map((line) => lineOf(line, open, end));
  if (wording.key === 'digest') return lines.join('');
  const members = [{ text: language.group }, { text: MEMBER, each: 'group.members' }, { text: language.more }].map(
    (line) => lineOf(line, open, end),
  );
  return [...lines, '{% if group.count > 1 %}', ...members, '{% endif %}'].join('');
};

const json = (value: unknown): string => JSON.stringify(value, null, 2);

const slackButton = (label: string, url: string, id: string) => ({
  type: 'button',
  action_id: id,
  text: { type: 'plain_text', text: label, emoji: false },
  url,
});

const slack = (text: Text): Layout => ({
  renderMode: 'json',
  format: 'slack',
  body: json({
    text: titleOf(text),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: titleOf(text), emoji: false } },
      { type: 'section', text: { type: 'mrkdwn', text: linesOf(text, '', '\n') } },
      { type: 'context', elements: [{ type: 'mrkdwn', text: footerOf(text) }] },
      {
        type: 'actions',
        elements: [
          slackButton(text.wording.open, '{{ links.self }}', 'open'),
          slackButton(text.language.acknowledge, '{{ links.acknowledge }}', 'acknowledge'),
        ],
      },
    ],
  }),
});

const teams = (text: Text): Layout => ({
  renderMode: 'adaptiveCard',
  format: 'teams',
  body: json({
    type: 'AdaptiveCard',
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    version: '1.5',
    lang: text.language.locale,
    body: [
      { type: 'TextBlock', text: titleOf(text), weight: 'Bolder', size: 'Medium', wrap: true, style: 'heading' },
      // Teams reads Markdown, in which an empty line separates paragraphs.
      { type: 'TextBlock', text: linesOf(text, '', '\n\n'), wrap: true },
      { type: 'TextBlock', text: footerOf(text), isSubtle: true, size: 'Small', wrap: true },
    ],
    actions: [
      { type: 'Action.OpenUrl', title: text.wording.open, url: '{{ links.self }}' },
      { type: 'Action.OpenUrl', title: text.language.acknowledge, url: '{{ links.acknowledge }}' },
    ],
  }),
});

const button = (label: string, link: string): string =>
  `<mj-raw>{% if ${link} != blank %}</mj-raw><mj-button align="left" background-color="#1f4e8c" href="{{ ${link} }}">${label}</mj-button><mj-raw>{% endif %}</mj-raw>`;

const email = (text: Text): Layout => ({
  renderMode: 'html',
  format: 'email',
  subject: titleOf(text),
  body: `<mjml lang="${text.language.locale}">
  <mj-head>
    <mj-title>${titleOf(text)}</mj-title>
    <mj-attributes><mj-all font-family="Arial, Helvetica, sans-serif" /></mj-attributes>
  </mj-head>
  <mj-body>
    <mj-section>
      <mj-column>
        <mj-text font-size="18px" font-weight="bold" line-height="1.3">${titleOf(text)}</mj-text>
        <mj-text font-size="14px" line-height="1.5">${linesOf(text, '', '<br />')}</mj-text>
        ${button(text.wording.open, 'links.self')}
        ${button(text.language.acknowledge, 'links.acknowledge')}
        <mj-text font-size="12px" color="#595959">${footerOf(text)}</mj-text>
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>
`,
});

const webhook = (text: Text): Layout => ({
  renderMode: 'json',
  format: 'webhook',
  body: json({
    summary: titleOf(text),
    reason: { code: '{{ reason.code }}', text: '{{ reason.text }}' },
    url: '{{ links.self }}',
    event: '{{ event | value }}',
    group: '{{ group | value }}',
  }),
});

/** A group is resolved once all its events are. */
const ACTION =
  "{% case event.status %}{% when 'resolved' %}{% if group.open == 0 %}resolve{% else %}trigger{% endif %}{% when 'acknowledged' %}acknowledge{% else %}trigger{% endcase %}";

const pagerduty = (text: Text): Layout => ({
  renderMode: 'json',
  format: 'pagerduty',
  body: json({
    event_action: ACTION,
    client: 'Landfall',
    client_url: '{{ links.self }}',
    links: [{ href: '{{ links.self }}', text: text.wording.open }],
    payload: {
      summary: titleOf(text),
      source: '{{ event.attributes.environment | default: tenant.id }}',
      severity: '{{ event.severity }}',
      timestamp: '{{ event.at }}',
      component: '{{ event.attributes.product }}',
      group: '{{ event.attributes.environment }}',
      class: '{{ event.kind }}',
      custom_details: { reason: '{{ reason.text }}', details: linesOf(text, '', '\n'), event: '{{ event | value }}' },
    },
  }),
});

/** Layout of every message for each channel. */
export const LAYOUTS: Readonly<Record<ChannelType, (text: Text) => Layout>> = {
  slack,
  teams,
  email,
  webhook,
  pagerduty,
};
