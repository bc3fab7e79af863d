package io.fibry.web.internal;

/** Thrown if a client breaks the protocol or a limit, so that its socket must be closed with a code. */
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

    /** The reason, which fits into a frame. */
    String reason() {
        return String.valueOf(getMessage());
    }
}
