package io.fibry.internal;

/** A node that stands where the one taken last would be: the first that an actor handles, whatever comes then. */
abstract class FirstNode extends Node {
    @Override
    final boolean isControl() {
        return true;
    }
}
