package io.fibry.codec;

import java.io.Serial;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/** Something is wrong at a place that is not known yet. Callers add the place, and the codec makes an exception of it. */
final class Fault extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final String what;
    private final String place;

    Fault(String what) {
        this(what, null);
    }

    Fault(String what, @Nullable Throwable cause) {
        this(what, "", cause);
    }

    private Fault(String what, String place, @Nullable Throwable cause) {
        super(what, cause, false, false);
        this.what = what;
        this.place = place;
    }

    /** What Jackson throws where the bytes end too early, or are no CBOR or no UTF-8. */
    static Fault broken(JacksonException e) {
        return new Fault("the bytes are cut off or broken: " + Texts.printable(e.getOriginalMessage(), 400),
                e);
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
