package io.fibry.internal.memory;

/**
 * Ensures that the calling thread has enough stack for what the engine is about to do on it.
 *
 * <p>Code of a user may be arbitrarily deep in a recursion when it sends, asks or waits. Suppose that the stack
 * overflowed between two steps of which the second has to follow the first: a message was queued and its turn is to be
 * started; a turn was claimed and is to run; an edge of the wait graph was published and is to be taken back. The other
 * actor would then be lost for ever, although it has nothing to do with the recursion. No order of the steps avoids
 * this, since each call may be the one that overflows, including the call of a method that would undo the first step.
 * Therefore each such sequence begins with {@link #require}. Either all that the engine itself does until it returns
 * fits into the stack that was found, or nothing has been done yet and the stack overflows here, in the caller's own
 * call.
 *
 * <p>Code that runs in between and does not belong to the engine (a handler on top, an executor, a listener, a
 * callback) may need more. It is called where everything that it throws is caught. By then the stack is as it was, so
 * the engine has its reserve again for the steps that follow. A second check, once something was taken, would be wrong:
 * it could find too little where the first one has found enough, and what was taken would be left behind.
 *
 * <p>The same holds for the linkage of a call site. A lambda, a method reference, a switch on classes and (as javac
 * compiles it by default) a concatenation of strings are each linked when they first run. This takes more than the
 * reserve, and if it overflows, HotSpot may record that this call site fails for ever, for all threads. So where
 * a user's thread may come, the engine uses classes and records with names, which {@link #load} loads, and constants of
 * classes that are initialised early. {@code LinkageTest} checks this.
 *
 * <p>The check is a call of a method with a frame of that size ({@link #enterLargeFrame}). One check covers all that one call
 * of a user does: {@code apply} checks before it sends, and does not check again before it waits.
 */
public final class StackReserve {
    /** About three times what the deepest call chain of the engine needs if all of it is interpreted. */
    private static final int BYTES = 16_384;

    /** A native image has no class that is loaded later, and finds none by a name that it could not foresee. */
    private static final boolean IN_IMAGE = System.getProperty("org.graalvm.nativeimage.imagecode") != null;

    private StackReserve() {
    }

    /**
     * Loads and initialises classes, and the classes that are their members. A class that is first used after a check,
     * in the middle of a sequence of steps, has to be loaded before, since loading takes more than the reserve. A class
     * whose initialisation overflows can never be used again.
     */
    public static void load(Class<?>... used) {
        if (IN_IMAGE) {
            return;
        }
        try {
            for (var each : used) {
                Class.forName(each.getName(), true, each.getClassLoader());
                load(each.getDeclaredClasses());
            }
        } catch (ClassNotFoundException e) {
            throw new AssertionError("classes of the engine", e);
        }
    }

    /** Throws a {@link StackOverflowError} if less than the reserve is left. Called before anything is taken. */
    public static void require() {
        enterLargeFrame(false);
    }

    /**
     * Overflows the stack unless at least {@value #BYTES} bytes of it are left. Does nothing else.
     *
     * <p>The method declares that many bytes of local variables: 1,024 of two slots of eight bytes each. If the method
     * is interpreted, its frame contains them. If it is compiled, its frame does not; but HotSpot may have to continue
     * in an interpreted frame at any time, so compiled code touches as much of the stack on entry as that frame would
     * need, with one store per page.
     *
     * <p>A recursion with small frames would be shorter to read but would prove nothing: a compiled frame takes a few
     * bytes. The method must not be inlined, and is too large to be: it is never called with {@code true}, and the
     * assignments only make it larger. If it were inlined, the enclosing method would need the bytes wherever it is
     * entered itself, which may be after the stack was checked.
     */
    @SuppressWarnings("UnusedVariable")
    private static void enterLargeFrame(boolean tooLargeToInline) {
        // @formatter:off
        long a000, a001, a002, a003, a004, a005, a006, a007, a008, a009, a00a, a00b, a00c, a00d, a00e, a00f, a010, a011,
                a012, a013, a014, a015, a016, a017, a018, a019, a01a, a01b, a01c, a01d, a01e, a01f, a020, a021, a022, a023,
                a024, a025, a026, a027, a028, a029, a02a, a02b, a02c, a02d, a02e, a02f, a030, a031, a032, a033, a034, a035,
                a036, a037, a038, a039, a03a, a03b, a03c, a03d, a03e, a03f, a040, a041, a042, a043, a044, a045, a046, a047,
                a048, a049, a04a, a04b, a04c, a04d, a04e, a04f, a050, a051, a052, a053, a054, a055, a056, a057, a058, a059,
                a05a, a05b, a05c, a05d, a05e, a05f, a060, a061, a062, a063, a064, a065, a066, a067, a068, a069, a06a, a06b,
                a06c, a06d, a06e, a06f, a070, a071, a072, a073, a074, a075, a076, a077, a078, a079, a07a, a07b, a07c, a07d,
                a07e, a07f, a080, a081, a082, a083, a084, a085, a086, a087, a088, a089, a08a, a08b, a08c, a08d, a08e, a08f,
                a090, a091, a092, a093, a094, a095, a096, a097, a098, a099, a09a, a09b, a09c, a09d, a09e, a09f, a0a0, a0a1,
                a0a2, a0a3, a0a4, a0a5, a0a6, a0a7, a0a8, a0a9, a0aa, a0ab, a0ac, a0ad, a0ae, a0af, a0b0, a0b1, a0b2, a0b3,
                a0b4, a0b5, a0b6, a0b7, a0b8, a0b9, a0ba, a0bb, a0bc, a0bd, a0be, a0bf, a0c0, a0c1, a0c2, a0c3, a0c4, a0c5,
                a0c6, a0c7, a0c8, a0c9, a0ca, a0cb, a0cc, a0cd, a0ce, a0cf, a0d0, a0d1, a0d2, a0d3, a0d4, a0d5, a0d6, a0d7,
                a0d8, a0d9, a0da, a0db, a0dc, a0dd, a0de, a0df, a0e0, a0e1, a0e2, a0e3, a0e4, a0e5, a0e6, a0e7, a0e8, a0e9,
                a0ea, a0eb, a0ec, a0ed, a0ee, a0ef, a0f0, a0f1, a0f2, a0f3, a0f4, a0f5, a0f6, a0f7, a0f8, a0f9, a0fa, a0fb,
                a0fc, a0fd, a0fe, a0ff, a100, a101, a102, a103, a104, a105, a106, a107, a108, a109, a10a, a10b, a10c, a10d,
                a10e, a10f, a110, a111, a112, a113, a114, a115, a116, a117, a118, a119, a11a, a11b, a11c, a11d, a11e, a11f,
                a120, a121, a122, a123, a124, a125, a126, a127, a128, a129, a12a, a12b, a12c, a12d, a12e, a12f, a130, a131,
                a132, a133, a134, a135, a136, a137, a138, a139, a13a, a13b, a13c, a13d, a13e, a13f, a140, a141, a142, a143,
                a144, a145, a146, a147, a148, a149, a14a, a14b, a14c, a14d, a14e, a14f, a150, a151, a152, a153, a154, a155,
                a156, a157, a158, a159, a15a, a15b, a15c, a15d, a15e, a15f, a160, a161, a162, a163, a164, a165, a166, a167,
                a168, a169, a16a, a16b, a16c, a16d, a16e, a16f, a170, a171, a172, a173, a174, a175, a176, a177, a178, a179,
                a17a, a17b, a17c, a17d, a17e, a17f, a180, a181, a182, a183, a184, a185, a186, a187, a188, a189, a18a, a18b,
                a18c, a18d, a18e, a18f, a190, a191, a192, a193, a194, a195, a196, a197, a198, a199, a19a, a19b, a19c, a19d,
                a19e, a19f, a1a0, a1a1, a1a2, a1a3, a1a4, a1a5, a1a6, a1a7, a1a8, a1a9, a1aa, a1ab, a1ac, a1ad, a1ae, a1af,
                a1b0, a1b1, a1b2, a1b3, a1b4, a1b5, a1b6, a1b7, a1b8, a1b9, a1ba, a1bb, a1bc, a1bd, a1be, a1bf, a1c0, a1c1,
                a1c2, a1c3, a1c4, a1c5, a1c6, a1c7, a1c8, a1c9, a1ca, a1cb, a1cc, a1cd, a1ce, a1cf, a1d0, a1d1, a1d2, a1d3,
                a1d4, a1d5, a1d6, a1d7, a1d8, a1d9, a1da, a1db, a1dc, a1dd, a1de, a1df, a1e0, a1e1, a1e2, a1e3, a1e4, a1e5,
                a1e6, a1e7, a1e8, a1e9, a1ea, a1eb, a1ec, a1ed, a1ee, a1ef, a1f0, a1f1, a1f2, a1f3, a1f4, a1f5, a1f6, a1f7,
                a1f8, a1f9, a1fa, a1fb, a1fc, a1fd, a1fe, a1ff, a200, a201, a202, a203, a204, a205, a206, a207, a208, a209,
                a20a, a20b, a20c, a20d, a20e, a20f, a210, a211, a212, a213, a214, a215, a216, a217, a218, a219, a21a, a21b,
                a21c, a21d, a21e, a21f, a220, a221, a222, a223, a224, a225, a226, a227, a228, a229, a22a, a22b, a22c, a22d,
                a22e, a22f, a230, a231, a232, a233, a234, a235, a236, a237, a238, a239, a23a, a23b, a23c, a23d, a23e, a23f,
                a240, a241, a242, a243, a244, a245, a246, a247, a248, a249, a24a, a24b, a24c, a24d, a24e, a24f, a250, a251,
                a252, a253, a254, a255, a256, a257, a258, a259, a25a, a25b, a25c, a25d, a25e, a25f, a260, a261, a262, a263,
                a264, a265, a266, a267, a268, a269, a26a, a26b, a26c, a26d, a26e, a26f, a270, a271, a272, a273, a274, a275,
                a276, a277, a278, a279, a27a, a27b, a27c, a27d, a27e, a27f, a280, a281, a282, a283, a284, a285, a286, a287,
                a288, a289, a28a, a28b, a28c, a28d, a28e, a28f, a290, a291, a292, a293, a294, a295, a296, a297, a298, a299,
                a29a, a29b, a29c, a29d, a29e, a29f, a2a0, a2a1, a2a2, a2a3, a2a4, a2a5, a2a6, a2a7, a2a8, a2a9, a2aa, a2ab,
                a2ac, a2ad, a2ae, a2af, a2b0, a2b1, a2b2, a2b3, a2b4, a2b5, a2b6, a2b7, a2b8, a2b9, a2ba, a2bb, a2bc, a2bd,
                a2be, a2bf, a2c0, a2c1, a2c2, a2c3, a2c4, a2c5, a2c6, a2c7, a2c8, a2c9, a2ca, a2cb, a2cc, a2cd, a2ce, a2cf,
                a2d0, a2d1, a2d2, a2d3, a2d4, a2d5, a2d6, a2d7, a2d8, a2d9, a2da, a2db, a2dc, a2dd, a2de, a2df, a2e0, a2e1,
                a2e2, a2e3, a2e4, a2e5, a2e6, a2e7, a2e8, a2e9, a2ea, a2eb, a2ec, a2ed, a2ee, a2ef, a2f0, a2f1, a2f2, a2f3,
                a2f4, a2f5, a2f6, a2f7, a2f8, a2f9, a2fa, a2fb, a2fc, a2fd, a2fe, a2ff, a300, a301, a302, a303, a304, a305,
                a306, a307, a308, a309, a30a, a30b, a30c, a30d, a30e, a30f, a310, a311, a312, a313, a314, a315, a316, a317,
                a318, a319, a31a, a31b, a31c, a31d, a31e, a31f, a320, a321, a322, a323, a324, a325, a326, a327, a328, a329,
                a32a, a32b, a32c, a32d, a32e, a32f, a330, a331, a332, a333, a334, a335, a336, a337, a338, a339, a33a, a33b,
                a33c, a33d, a33e, a33f, a340, a341, a342, a343, a344, a345, a346, a347, a348, a349, a34a, a34b, a34c, a34d,
                a34e, a34f, a350, a351, a352, a353, a354, a355, a356, a357, a358, a359, a35a, a35b, a35c, a35d, a35e, a35f,
                a360, a361, a362, a363, a364, a365, a366, a367, a368, a369, a36a, a36b, a36c, a36d, a36e, a36f, a370, a371,
                a372, a373, a374, a375, a376, a377, a378, a379, a37a, a37b, a37c, a37d, a37e, a37f, a380, a381, a382, a383,
                a384, a385, a386, a387, a388, a389, a38a, a38b, a38c, a38d, a38e, a38f, a390, a391, a392, a393, a394, a395,
                a396, a397, a398, a399, a39a, a39b, a39c, a39d, a39e, a39f, a3a0, a3a1, a3a2, a3a3, a3a4, a3a5, a3a6, a3a7,
                a3a8, a3a9, a3aa, a3ab, a3ac, a3ad, a3ae, a3af, a3b0, a3b1, a3b2, a3b3, a3b4, a3b5, a3b6, a3b7, a3b8, a3b9,
                a3ba, a3bb, a3bc, a3bd, a3be, a3bf, a3c0, a3c1, a3c2, a3c3, a3c4, a3c5, a3c6, a3c7, a3c8, a3c9, a3ca, a3cb,
                a3cc, a3cd, a3ce, a3cf, a3d0, a3d1, a3d2, a3d3, a3d4, a3d5, a3d6, a3d7, a3d8, a3d9, a3da, a3db, a3dc, a3dd,
                a3de, a3df, a3e0, a3e1, a3e2, a3e3, a3e4, a3e5, a3e6, a3e7, a3e8, a3e9, a3ea, a3eb, a3ec, a3ed, a3ee, a3ef,
                a3f0, a3f1, a3f2, a3f3, a3f4, a3f5, a3f6, a3f7, a3f8, a3f9, a3fa, a3fb, a3fc, a3fd, a3fe, a3ff;
        if (tooLargeToInline) {
            a000 = a001 = a002 = a003 = a004 = a005 = a006 = a007 = a008 = a009 = a00a = a00b = a00c = a00d = a00e
                    = a00f = a010 = a011 = a012 = a013 = a014 = a015 = a016 = a017 = a018 = a019 = a01a = a01b = a01c = a01d
                    = a01e = a01f = a020 = a021 = a022 = a023 = a024 = a025 = a026 = a027 = a028 = a029 = a02a = a02b = a02c
                    = a02d = a02e = a02f = a030 = a031 = a032 = a033 = a034 = a035 = a036 = a037 = a038 = a039 = a03a = a03b
                    = a03c = a03d = a03e = a03f = a040 = a041 = a042 = a043 = a044 = a045 = a046 = a047 = a048 = a049 = a04a
                    = a04b = a04c = a04d = a04e = a04f = a050 = a051 = a052 = a053 = a054 = a055 = a056 = a057 = a058 = a059
                    = a05a = a05b = a05c = a05d = a05e = a05f = a060 = a061 = a062 = a063 = a064 = a065 = a066 = a067 = a068
                    = a069 = a06a = a06b = a06c = a06d = a06e = a06f = a070 = a071 = a072 = a073 = a074 = a075 = a076 = a077
                    = a078 = a079 = a07a = a07b = a07c = a07d = a07e = a07f = Thread.currentThread().threadId();
        }
        // @formatter:on
    }
}
