package io.fibry.examples.chat;

/** What a member of a room has said, and when, in milliseconds since 1970. */
record ChatLine(String text, long at) {
}
