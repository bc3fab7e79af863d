package io.fibry.internal.actor;

import io.fibry.Request;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Names the actor when a message has a class that its handler cannot take. {@code find} trusts the types that
 * its caller claims, so the first cast that fails is one that the compiler has put in front of the handler.
 * The exception of that cast names two classes and no actor.
 */
public final class WrongType {
    /** The classes whose code takes a message and lets the behavior of the actor handle it. */
    private static final Set<String> TAKERS =
            Set.of(MessageNode.class.getName(), AskNode.class.getName(), FateAnswer.class.getName());

    private WrongType() {
    }

    /** Returns the failure, or one that names the actor if the handler could not take a message of this class. */
    static Throwable named(Cell cell, Class<?> message, Throwable failure) {
        return failure instanceof ClassCastException cast ? named(cell, message, cast, TAKERS) : failure;
    }

    /** As {@link #named(Cell, Class, Throwable)}, where code of the program is around the handler; {@code taker} calls it. */
    public static ClassCastException named(Cell cell, Object message, ClassCastException failure,
            Class<?> taker) {
        return named(cell, message.getClass(), failure, Set.of(taker.getName()));
    }

    private static ClassCastException named(Cell cell, Class<?> message, ClassCastException failure,
            Set<String> takers) {
        if (isBare(failure)) {
            return caused(failure, textOf(cell, " has failed with a message of ", message)
                    + ": either its handler cannot take one, then look at the types where the actor was found by its name, or"
                    + " a cast in the handler has failed; the JVM leaves out which, unless it runs with"
                    + " -XX:-OmitStackTraceInFastThrow");
        }
        if (!isOfTheMessage(message, failure.getMessage())
                || !isBeforeTheHandler(cell, failure.getStackTrace(), takers)) {
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

    private static ClassCastException caused(Throwable failure, String text) {
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
     * Returns whether the cast has failed between the engine, which calls the handler, and the first line of the handler. No
     * frame but the engine's own is on the stack then, down to the code that takes messages: the frame of a lambda is hidden.
     * Above them there may be the frame of a bridge method, in which nothing but the cast can fail.
     */
    private static boolean isBeforeTheHandler(Cell cell, StackTraceElement[] stack, Set<String> takers) {
        var from = stack.length > 0 && isBridge(cell.behavior.handlerClass(), stack[0]) ? 1 : 0;
        for (int i = from; i < stack.length && isOurs(stack[i]); i++) {
            if (takers.contains(stack[i].getClassName())) {
                return true;
            }
        }
        return false;
    }

    /** Context that is carried by scoped values is set by the JDK. */
    private static boolean isOurs(StackTraceElement frame) {
        return frame.getClassName().startsWith("io.fibry.internal.")
                || frame.getClassName().startsWith("java.lang.ScopedValue");
    }

    /**
     * Returns whether this is the frame of a bridge method: the compiler has added it to a class, since the handler takes a
     * narrower type than the interface. The engine calls it by the name of the interface's method. So it is none if the class
     * has a method of this name that takes any message.
     */
    private static boolean isBridge(Class<?> handler, StackTraceElement frame) {
        for (@Nullable Class<?> type = handler; type != null; type = type.getSuperclass()) {
            if (type.getName().equals(frame.getClassName())) {
                return hasBridge(type, frame.getMethodName());
            }
        }
        return false;
    }

    private static boolean hasBridge(Class<?> type, String name) {
        var found = false;
        for (var method : type.getDeclaredMethods()) {
            if (method.getName().equals(name) && method.getParameterCount() > 0) {
                var takesAny = method.getParameterTypes()[method.getParameterCount() - 1] == Object.class;
                if (takesAny && !method.isBridge()) {
                    return false;
                }
                found |= takesAny;
            }
        }
        return found;
    }
}
