package io.fibry.internal.actor;

/** Makes the exceptions that refuse a setting of a builder, since what is to be made cannot have it. */
public final class WrongSetting {
    private WrongSetting() {
    }

    /**
     * Returns the exception.
     *
     * @param spec the specification with the setting
     * @param what what is to be made
     * @param setting the method of the builder
     * @param why the reason, and what to do instead
     */
    public static IllegalStateException of(ActorSpec spec, String what, String setting, String why) {
        var name = spec.nameToGive();
        return new IllegalStateException(
                what + (name == null ? "" : " named '" + name + "'") + " cannot have " + setting + ": "
                        + why);
    }

    /** Returns the exception for an actor. */
    public static IllegalStateException ofActor(ActorSpec spec, String setting, String why) {
        return of(spec, "an actor", setting, why);
    }
}
