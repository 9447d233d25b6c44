/** Most base64 characters of image data in one block, about 7.5 MB of file. */
export const MAX_IMAGE_BASE64_CHARACTERS = 10_000_000;
