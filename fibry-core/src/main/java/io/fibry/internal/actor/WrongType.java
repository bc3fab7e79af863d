package io.fibry.internal.actor;

import io.fibry.Request;
import org.jspecify.annotations.Nullable;

/**
 * Names the actor when a message has a class that its handler cannot take. {@code find} trusts the types that
 * its caller claims, so the first cast that fails is one that the compiler has put in front of the handler.
 * The exception of that cast names two classes and no actor.
 */
final class WrongType {
    private WrongType() {
    }

    /**
     * Returns the failure, or one that names the actor if the handler could not take a message of this class.
     */
    static Throwable named(Cell cell, Class<?> message, Throwable failure) {
        if (isBare(failure)) {
            return caused(failure, textOf(cell, " has failed with a message of ", message)
                    + ": either its handler cannot take one, then look at the types where the actor was found by its name, or"
                    + " a cast in the handler has failed; the JVM leaves out which, unless it runs with"
                    + " -XX:-OmitStackTraceInFastThrow");
        }
        if (!(failure instanceof ClassCastException) || !isOfTheMessage(message, failure.getMessage())
                || !isBeforeTheHandler(failure.getStackTrace())) {
            return failure;
        }
        return caused(failure,
                textOf(cell, " cannot take a message of ", message) + ": " + failure.getMessage()
                        + (Request.class.isAssignableFrom(message)
                                ? "; the class of a request has to be one of the messages of the actor, which the compiler"
                                        + " cannot check where the request is asked"
                                : "; look at the types where the actor was found by its name"));
    }

    private static String textOf(Cell cell, String what, Class<?> message) {
        return "actor '" + cell.name() + "' of scope '" + cell.spec.scope.name() + "'" + what
                + message.getName();
    }

    private static Throwable caused(Throwable failure, String text) {
        var named = new ClassCastException(text);
        named.initCause(failure);
        return named;
    }

    /**
     * Whether a cast has failed in code that HotSpot has optimised after many such failures: it then throws an exception
     * that was made before, without a text and a stack. Nothing tells whose cast it was.
     */
    private static boolean isBare(Throwable failure) {
        return failure.getClass() == ClassCastException.class && failure.getMessage() == null
                && failure.getStackTrace().length == 0;
    }

    private static boolean isOfTheMessage(Class<?> message, @Nullable String text) {
        return text != null && text.startsWith("class " + message.getName() + " cannot be cast to ");
    }

    /**
     * Returns whether no code of the handler is on the stack: the cast is either in a lambda's own frame,
     * which is hidden, or in the bridge method that the compiler has added to a class, which the engine calls
     * and which is not the body of a lambda.
     */
    private static boolean isBeforeTheHandler(StackTraceElement[] stack) {
        return stack.length > 1 && (isOurs(stack[0])
                || (isOurs(stack[1]) && !stack[0].getMethodName().startsWith("lambda$")));
    }

    private static boolean isOurs(StackTraceElement frame) {
        return frame.getClassName().startsWith("io.fibry.internal.");
    }
}
