package io.fibry.web.internal;

/** A client breaks the protocol or a limit: its socket must be closed with a code. */
final class Violation extends Exception {
    private static final long serialVersionUID = 1L;

    private final int code;

    Violation(int code, String reason) {
        super(reason, null, false, false);
        this.code = code;
    }

    int code() {
        return code;
    }

    /** Fits into a frame. */
    String reason() {
        return String.valueOf(getMessage());
    }
}
