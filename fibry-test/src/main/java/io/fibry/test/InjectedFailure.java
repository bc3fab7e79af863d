package io.fibry.test;

import java.io.Serial;

/** What a handler throws because {@link Faults} make it fail. */
public final class InjectedFailure extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    /**
     * Makes a failure.
     *
     * @param message what fails
     */
    public InjectedFailure(String message) {
        super(message);
    }
}
