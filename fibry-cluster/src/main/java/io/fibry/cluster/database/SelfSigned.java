package io.fibry.cluster.database;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;

/**
 * A key and a certificate of it that it has signed itself. The JDK reads certificates and writes none, so this class
 * writes one shape of the structure of RFC 5280 in DER: version 3, ECDSA on P-256 with SHA-256, one name, no end, no
 * extension. Whoever trusts it knows its digest, so name and time mean nothing.
 */
record SelfSigned(PrivateKey key, X509Certificate certificate) {
    private static final int INTEGER = 0x02;
    private static final int BIT_STRING = 0x03;
    private static final int OBJECT = 0x06;
    private static final int UTF8 = 0x0C;
    private static final int UTC_TIME = 0x17;
    private static final int GENERAL_TIME = 0x18;
    private static final int SEQUENCE = 0x30;
    private static final int SET = 0x31;
    private static final int VERSION = 0xA0;
    /** 1.2.840.10045.4.3.2, as DER has it. */
    private static final byte[] ECDSA_WITH_SHA256 = {0x2A, (byte) 0x86, 0x48, (byte) 0xCE, 0x3D, 4, 3, 2};
    /** 2.5.4.3. */
    private static final byte[] COMMON_NAME = {0x55, 4, 3};
    private static final int SERIAL_BYTES = 16;
    /** Lengths from here on say first in how many bytes they are. */
    private static final int LONG = 0x80;

    /** Makes a key, and its certificate. */
    static SelfSigned make(String name) throws GeneralSecurityException {
        var random = new SecureRandom();
        var generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"), random);
        var pair = generator.generateKeyPair();
        var bytes = certificate(name, pair, random);
        return new SelfSigned(pair.getPrivate(), (X509Certificate) CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(bytes)));
    }

    private static byte[] certificate(String name, KeyPair pair, SecureRandom random)
            throws GeneralSecurityException {
        var serial = new byte[SERIAL_BYTES];
        random.nextBytes(serial);
        serial[0] = (byte) ((serial[0] & 0x7F) | 0x40); // above zero, and no byte too many
        var algorithm = der(SEQUENCE, der(OBJECT, ECDSA_WITH_SHA256));
        var subject = der(SEQUENCE, der(SET, der(SEQUENCE, der(OBJECT, COMMON_NAME),
                der(UTF8, name.getBytes(StandardCharsets.UTF_8)))));
        var times = der(SEQUENCE, der(UTC_TIME, ascii("000101000000Z")),
                der(GENERAL_TIME, ascii("99991231235959Z")));
        var signed = der(SEQUENCE, der(VERSION, der(INTEGER, new byte[]{2})), der(INTEGER, serial), algorithm,
                subject,
                times, subject, pair.getPublic().getEncoded());
        var signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(pair.getPrivate(), random);
        signature.update(signed);
        // No bit of the last byte is unused.
        return der(SEQUENCE, signed, algorithm, der(BIT_STRING, new byte[1], signature.sign()));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** A value: its tag, its length, and its parts. */
    private static byte[] der(int tag, byte[]... parts) {
        var content = new ByteArrayOutputStream();
        for (var part : parts) {
            content.writeBytes(part);
        }
        var out = new ByteArrayOutputStream();
        out.write(tag);
        var length = content.size();
        if (length >= LONG) {
            var bytes = (Integer.SIZE - Integer.numberOfLeadingZeros(length) + 7) / Byte.SIZE;
            out.write(LONG | bytes);
            for (int i = bytes - 1; i > 0; i--) {
                out.write(length >>> (Byte.SIZE * i));
            }
        }
        out.write(length);
        out.writeBytes(content.toByteArray());
        return out.toByteArray();
    }
}
