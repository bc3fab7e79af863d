package io.fibry.internal.scope;

/** Thrown if another actor has the name that a new actor should get. */
final class NameTakenException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    private final transient Scope scope;
    private final String name;

    NameTakenException(Scope scope, String name) {
        super("there is an actor named '" + name + "' in scope '" + scope.name()
                + "' already; stop it first, use another name, or get it with findOrMake");
        this.scope = scope;
        this.name = name;
    }

    /** Returns whether this exception is about a certain name in a certain scope. */
    boolean isOf(Scope other, String otherName) {
        return scope == other && name.equals(otherName);
    }
}
