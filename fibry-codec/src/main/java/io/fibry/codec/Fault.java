package io.fibry.codec;

import java.io.Serial;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/** Something is wrong at a place that is not known yet. Callers add the place, and the codec makes an exception of it. */
final class Fault extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    /** More than texts of this module take. Those of constructors and of Jackson may have texts from outside. */
    private static final int LONGEST = 10_000;

    private final String what;
    private final String place;

    Fault(String what) {
        this(what, null);
    }

    Fault(String what, @Nullable Throwable cause) {
        this(Texts.plain(what, LONGEST), "", cause);
    }

    private Fault(String what, String place, @Nullable Throwable cause) {
        super(what, cause, false, false);
        this.what = what;
        this.place = place;
    }

    /**
     * What Jackson throws where the bytes end too early, or are no CBOR or no UTF-8. It is no cause, as its message may have
     * names from outside.
     */
    static Fault broken(JacksonException e) {
        return new Fault("the bytes are cut off or broken: " + e.getOriginalMessage());
    }

    /** The same within a component. */
    Fault within(String component) {
        var inner = place.isEmpty() || place.startsWith("[") ? place : "." + place;
        return new Fault(what, component + inner, getCause());
    }

    String text() {
        return place.isEmpty() ? what : place + ": " + what;
    }
}
