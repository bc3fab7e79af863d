package io.fibry.examples.frame;

/** An example is not run: its command line is wrong, or asks for help. The message is for the user as it is. */
public final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private static final int WRONG = 2;

    private final int exitCode;

    private UsageException(String message, int exitCode) {
        super(message);
        this.exitCode = exitCode;
    }

    /**
     * Something is wrong.
     *
     * @param message what, and what would be right
     * @return the exception
     */
    public static UsageException wrong(String message) {
        return new UsageException(message, WRONG);
    }

    /**
     * The user has asked how it works.
     *
     * @param message the answer
     * @return the exception
     */
    static UsageException help(String message) {
        return new UsageException(message, 0);
    }

    /**
     * What the program is to end with.
     *
     * @return 0 for help, 2 for something wrong
     */
    public int exitCode() {
        return exitCode;
    }
}
