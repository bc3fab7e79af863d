package io.fibry.internal.report;

import io.fibry.function.Handler;

/** A handler, or code, of the library that calls other code, mostly the user's. Reports name the class of that code. */
public interface ShownAs {
    /** Returns the code. */
    Object code();

    /** Returns the code that a handler, or code, calls in the end. */
    static Object codeOf(Object outermost) {
        var code = outermost;
        while (code instanceof ShownAs around) {
            code = around.code();
        }
        return code;
    }

    /** Returns the class by which reports name a handler. */
    static Class<?> classOf(Object handler) {
        return codeOf(handler).getClass();
    }

    /**
     * A handler with other code.
     *
     * @param <M> type of the messages
     * @param code the code
     * @param handler handles the messages
     */
    record Calling<M>(Object code, Handler<M> handler) implements Handler<M>, ShownAs {
        @Override
        public void handle(M message) throws Exception {
            handler.handle(message);
        }
    }
}
