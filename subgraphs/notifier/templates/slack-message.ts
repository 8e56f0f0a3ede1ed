import { cutText } from './cut-text.ts';
import { isTreeObject, type JsonTree, type JsonTreeObject } from './json-template.ts';
import { bytesOf, type Cutter, cutList, cutMember, fitBytes, listOf } from './shrink.ts';

/** Limits of Slack's message blocks. The bytes are those that it takes in practice, below the documented ones. */
export const SLACK_LIMITS = { blocks: 50, section: 3_000, header: 150, text: 4_000, bytes: 12_000 } as const;
const FIELDS = { most: 10, length: 2_000 };
const CONTEXT_ELEMENTS = 10;
const ACTIONS = { most: 25, label: 75 };

const textIn = (block: JsonTreeObject): JsonTree | undefined => block.text;

const fitBlock = (block: JsonTree, cutter: Cutter): void => {
  if (!isTreeObject(block)) return;
  if (block.type === 'header') cutMember(textIn(block), 'text', SLACK_LIMITS.header, cutter);
  if (block.type === 'section') {
    cutMember(textIn(block), 'text', SLACK_LIMITS.section, cutter);
    cutList(block, 'fields', FIELDS.most, cutter);
    for (const field of listOf(block, 'fields')) cutMember(field, 'text', FIELDS.length, cutter);
  }
  if (block.type === 'context') {
    cutList(block, 'elements', CONTEXT_ELEMENTS, cutter);
    for (const element of listOf(block, 'elements')) cutMember(element, 'text', SLACK_LIMITS.section, cutter);
  }
  if (block.type === 'actions') {
    cutList(block, 'elements', ACTIONS.most, cutter);
    for (const button of listOf(block, 'elements'))
      if (isTreeObject(button)) cutMember(textIn(button), 'text', ACTIONS.label, cutter);
  }
};

const note = (text: string): JsonTreeObject => ({ type: 'context', elements: [{ type: 'mrkdwn', text }] });

/** Fits a message into Slack's limits: texts are cut and blocks left out, with a sign that they were. */
export const fitSlack = (message: JsonTreeObject, cutter: Cutter): JsonTreeObject => {
  cutMember(message, 'text', SLACK_LIMITS.text, cutter);
  const blocks = listOf(message, 'blocks');
  for (const block of blocks) fitBlock(block, cutter);
  if (
    cutList(message, 'blocks', blocks.length > SLACK_LIMITS.blocks ? SLACK_LIMITS.blocks - 1 : blocks.length, cutter) >
    0
  )
    blocks.push(note(cutter.marker));
  const before = blocks.length;
  const hasNote = fitBytes(message, SLACK_LIMITS.bytes - bytesOf(note(cutter.marker)) - 1, cutter, blocks);
  if (blocks.length < before) blocks.push(note(cutter.marker));
  if (hasNote) return message;
  const text = typeof message.text === 'string' ? message.text : '';
  return { text: cutText(text, SLACK_LIMITS.section, cutter.marker, cutter) };
};

/** Message of one text in mrkdwn. */
export const slackText = (text: string): JsonTreeObject => ({ text, mrkdwn: true });
