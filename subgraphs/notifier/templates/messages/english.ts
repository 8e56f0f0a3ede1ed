import { FACTS, type Language, MEMBER } from './wording.ts';

const PRODUCT = "{{ event.attributes.product | default: 'unknown product' }}";
const RELEASE = `${PRODUCT}{% if event.attributes.release != blank %} {{ event.attributes.release }}{% endif %}`;
const ENVIRONMENT = "{{ event.attributes.environment | default: 'an unknown environment' }}";
const MORE = '{% if group.count > 10 %}and {{ group.count | minus: 10 }} more{% endif %}';

export const ENGLISH: Language = {
  locale: 'en',
  resolved: 'Resolved: ',
  test: '[Test] ',
  group: '{{ group.count }} events in this group, {{ group.open }} of them open:',
  more: MORE,
  acknowledge: 'Acknowledge',
  messages: [
    {
      key: 'approval.needed',
      title: `Approval needed: ${RELEASE} to ${ENVIRONMENT}`,
      lines: [
        { text: 'Requested by {{ event.actor }}.', when: 'event.actor' },
        {
          text: '{{ event.payload.approvalsGiven | default: 0 }} of {{ event.payload.approvalsNeeded }} approvals given.',
          when: 'event.payload.approvalsNeeded',
        },
        { text: 'Nothing is deployed until it is approved.' },
      ],
      open: 'Review the promotion',
      facts: FACTS['approval.needed'],
    },
    {
      key: 'deployment.failed',
      title: `Deployment failed: ${RELEASE} in ${ENVIRONMENT}`,
      lines: [
        {
          text: "{{ event.payload.failureAnatomy.plainReason | default: event.payload.failureReason | default: 'The cause is not known yet.' }}",
        },
        { text: 'Next: {{ event.payload.failureAnatomy.action }}', when: 'event.payload.failureAnatomy.action' },
        { text: 'Started by {{ event.actor }}.', when: 'event.actor' },
      ],
      open: 'Open the deployment',
      facts: FACTS['deployment.failed'],
    },
    {
      key: 'deployment.landed',
      title: `Deployed: ${RELEASE} runs in ${ENVIRONMENT}`,
      lines: [
        { text: 'Every target runs the approved digests.' },
        { text: 'Started by {{ event.actor }}.', when: 'event.actor' },
      ],
      open: 'Open the deployment',
      facts: FACTS['deployment.landed'],
    },
    {
      key: 'drift.seen',
      title: `Drift: {{ event.attributes.target | default: 'a target' }} in ${ENVIRONMENT} runs what was not approved`,
      lines: [{ text: '{{ item.component }} runs {{ item.digest }}', each: 'event.payload.observed' }],
      open: 'Open the target',
      facts: FACTS['drift.seen'],
    },
    {
      key: 'alertmanager.alert',
      title:
        "{{ event.attributes.alertname | default: 'Alert' }}{% if event.attributes.instance != blank %} on {{ event.attributes.instance }}{% endif %}",
      lines: [
        { text: '{{ event.payload.summary }}', when: 'event.payload.summary' },
        {
          text: '{% for pair in event.attributes %}{{ pair[0] }}: {{ pair[1] }}{% unless forloop.last %}, {% endunless %}{% endfor %}',
          when: 'event.attributes',
        },
      ],
      open: 'Open the alert',
      facts: FACTS['alertmanager.alert'],
    },
    {
      key: 'generic',
      title: '{{ event.kind }}',
      lines: [
        { text: '{{ event.payload.summary | default: event.payload.message }}' },
        {
          text: '{% for pair in event.attributes %}{{ pair[0] }}: {{ pair[1] }}{% unless forloop.last %}, {% endunless %}{% endfor %}',
          when: 'event.attributes',
        },
        { text: 'By {{ event.actor }}.', when: 'event.actor' },
      ],
      open: 'Open it in Landfall',
      facts: FACTS.generic,
    },
    {
      key: 'digest',
      title: '{% if group.count == 1 %}1 notification{% else %}{{ group.count }} notifications{% endif %}',
      lines: [
        {
          text: MEMBER,
          each: 'group.members',
        },
        { text: MORE },
      ],
      open: 'See all of them',
      facts: FACTS.digest,
    },
    {
      key: 'contact.code',
      title: 'Confirm this address for Landfall',
      lines: [
        { text: 'Your code is {{ event.payload.code }}. It is valid for {{ event.payload.minutes }} minutes.' },
        { text: 'Ignore this message if you did not add the address.' },
      ],
      open: 'Open it in Landfall',
      facts: FACTS['contact.code'],
    },
    {
      key: 'contact.suppressed',
      title: "Nothing is sent to {{ event.attributes.address | default: 'one of your addresses' }} any more",
      lines: [
        { text: '{{ event.payload.reason }}', when: 'event.payload.reason' },
        { text: 'Verify the address again once it takes messages, or remove it.' },
      ],
      open: 'Open my notifications',
      facts: FACTS['contact.suppressed'],
    },
    {
      key: 'test',
      title: 'Landfall can reach this channel',
      lines: [{ text: 'There is nothing to do.' }],
      open: 'Open the channel',
      facts: FACTS.test,
    },
    {
      key: 'api.deprecation.announced',
      title: "{{ event.payload.api }} ends on {{ event.payload.sunset | date: '%Y-%m-%d' }}",
      lines: [
        { text: 'Use {{ event.payload.successor }} instead.', when: 'event.payload.successor' },
        { text: '{{ event.payload.advice }}', when: 'event.payload.advice' },
        { text: 'Until then it answers as before, with the header Deprecation.' },
      ],
      open: 'Read how to move',
      facts: FACTS['api.deprecation.announced'],
    },
  ],
};
