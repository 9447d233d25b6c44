export { imageBlockFromPath } from './image-block-from-path.ts';
