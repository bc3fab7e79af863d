package io.fibry.examples.chat;

/** Texts in JSON. A real application has a library for that. */
final class Json {
    private static final int FIRST_PRINTABLE = 0x20;

    private Json() {
    }

    static String text(String text) {
        var json = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < FIRST_PRINTABLE || Character.isSurrogate(c)) {
                json.append("\\u%04x".formatted((int) c));
            } else {
                json.append(c);
            }
        }
        return json.append('"').toString();
    }
}
