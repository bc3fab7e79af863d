package io.fibry.internal.scope;

/** Lets a scope make its defaults again, since its carriers or the placement of its actors have changed. */
public record DefaultsReset(Scope scope) implements Runnable {
    @Override
    public void run() {
        scope.defaults = null;
    }
}
