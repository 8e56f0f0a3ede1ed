import { PAGERDUTY_LIMITS, WEBHOOK_DATA_BYTES } from './data-message.ts';
import type { ChannelType } from './document.ts';
import { isTreeObject, type JsonTree, type JsonTreeObject } from './json-template.ts';
import { bytesOf, listOf } from './shrink.ts';
import { SLACK_LIMITS } from './slack-message.ts';
import { TEAMS_BYTES } from './teams-message.ts';

/** Limit of a channel with the part of it that a message takes. */
export interface LimitUsage {
  readonly name: string;
  readonly used: number;
  readonly most: number;
}

const textLength = (holder: JsonTree | undefined, name = 'text'): number => {
  const text = isTreeObject(holder) ? holder[name] : undefined;
  return typeof text === 'string' ? text.length : 0;
};

const longest = (blocks: readonly JsonTree[], type: string): number =>
  Math.max(0, ...blocks.map((block) => (isTreeObject(block) && block.type === type ? textLength(block.text) : 0)));

const slackUsage = (message: JsonTreeObject): LimitUsage[] => {
  const blocks = listOf(message, 'blocks');
  return [
    { name: 'blocks', used: blocks.length, most: SLACK_LIMITS.blocks },
    { name: 'characters of a section', used: longest(blocks, 'section'), most: SLACK_LIMITS.section },
    { name: 'characters of a header', used: longest(blocks, 'header'), most: SLACK_LIMITS.header },
    { name: 'characters of the text', used: textLength(message), most: SLACK_LIMITS.text },
    { name: 'bytes', used: bytesOf(message), most: SLACK_LIMITS.bytes },
  ];
};

/** Limits of a channel and the part of each that a message takes. */
export const limitUsage = (channelType: ChannelType, message: JsonTreeObject): readonly LimitUsage[] => {
  switch (channelType) {
    case 'slack':
      return slackUsage(message);
    case 'teams':
      return [{ name: 'bytes', used: bytesOf(message), most: TEAMS_BYTES }];
    case 'webhook':
      return [{ name: 'bytes', used: bytesOf(message), most: WEBHOOK_DATA_BYTES }];
    case 'pagerduty':
      return [
        {
          name: 'characters of the summary',
          used: textLength(message.payload, 'summary'),
          most: PAGERDUTY_LIMITS.summary,
        },
        { name: 'bytes', used: bytesOf(message), most: PAGERDUTY_LIMITS.bytes },
      ];
    case 'email':
      return [];
  }
};
