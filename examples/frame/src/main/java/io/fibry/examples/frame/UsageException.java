package io.fibry.examples.frame;

/** Thrown if an example is not run because its command line is wrong or asks for help. The message is for the user. */
public final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private static final int WRONG = 2;

    private final int exitCode;

    private UsageException(String message, int exitCode) {
        super(message);
        this.exitCode = exitCode;
    }

    /**
     * Makes the exception for a command line that is wrong.
     *
     * @param message tells what is wrong, and what would be right
     * @return the exception
     */
    public static UsageException wrong(String message) {
        return new UsageException(message, WRONG);
    }

    /**
     * Makes the exception for a user who asks for help.
     *
     * @param message the answer
     * @return the exception
     */
    static UsageException help(String message) {
        return new UsageException(message, 0);
    }

    /**
     * Returns the exit code of the program.
     *
     * @return 0 for help, 2 for a wrong command line
     */
    public int exitCode() {
        return exitCode;
    }
}
