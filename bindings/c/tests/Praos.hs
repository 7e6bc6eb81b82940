-- The calls of cardano-base's module Cardano.Crypto.VRF.Praos: the same foreign imports, with their types,
-- on the vectors of its suite. Nothing here knows of Klero.
module Main (main) where

import Control.Monad (unless)
import qualified Data.ByteString as B
import qualified Data.ByteString.Unsafe as B
import Data.Char (digitToInt)
import Foreign.C.Types (CChar, CInt (..), CSize (..), CULLong (..))
import Foreign.Marshal.Alloc (allocaBytes)
import Foreign.Marshal.Utils (fillBytes)
import Foreign.Ptr (Ptr, castPtr)
import System.Environment (getArgs)
import System.Exit (die)

data Seed
data SignKey
data VerKey
data Proof
data Output

-- What other versions of the module import, in place of their counterparts below.
foreign import ccall "crypto_vrf_ietfdraft03_bytes" bytesSize :: CSize
foreign import ccall "crypto_vrf_ietfdraft03_sk_to_pk" skToPkStatus :: Ptr VerKey -> Ptr SignKey -> IO CInt
foreign import ccall "crypto_vrf_ietfdraft03_sk_to_seed" skToSeedStatus :: Ptr Seed -> Ptr SignKey -> IO CInt

foreign import ccall "crypto_vrf_ietfdraft03_proofbytes" proofSize :: CSize
foreign import ccall "crypto_vrf_ietfdraft03_publickeybytes" verKeySize :: CSize
foreign import ccall "crypto_vrf_ietfdraft03_secretkeybytes" signKeySize :: CSize
foreign import ccall "crypto_vrf_ietfdraft03_seedbytes" seedSize :: CSize
foreign import ccall "crypto_vrf_ietfdraft03_outputbytes" outputSize :: CSize
foreign import ccall "crypto_vrf_ietfdraft03_keypair_from_seed"
  keypairFromSeed :: Ptr VerKey -> Ptr SignKey -> Ptr Seed -> IO CInt
foreign import ccall "crypto_vrf_ietfdraft03_sk_to_pk" skToPk :: Ptr VerKey -> Ptr SignKey -> IO ()
foreign import ccall "crypto_vrf_ietfdraft03_sk_to_seed" skToSeed :: Ptr Seed -> Ptr SignKey -> IO ()
foreign import ccall "crypto_vrf_ietfdraft03_prove"
  prove :: Ptr Proof -> Ptr SignKey -> Ptr CChar -> CULLong -> IO CInt
foreign import ccall "crypto_vrf_ietfdraft03_verify"
  verify :: Ptr Output -> Ptr VerKey -> Ptr Proof -> Ptr CChar -> CULLong -> IO CInt
foreign import ccall "crypto_vrf_ietfdraft03_proof_to_hash" proofToHash :: Ptr Output -> Ptr Proof -> IO CInt

-- Of the plain libsodium, for new seeds.
foreign import ccall "randombytes_buf" randomBytes :: Ptr a -> CSize -> IO ()

-- | What a call writes into so many bytes, and what it returns.
written :: CSize -> (Ptr p -> IO a) -> IO (a, B.ByteString)
written size call = allocaBytes (fromIntegral size) $ \to -> do
  result <- call to
  bytes <- B.packCStringLen (castPtr to, fromIntegral size)
  pure (result, bytes)

-- | Passes a message as cardano-base does.
message :: B.ByteString -> (Ptr CChar -> CULLong -> IO a) -> IO a
message bytes call = B.useAsCStringLen bytes $ \(start, size) -> call start (fromIntegral size)

-- | Passes a value of a fixed size.
value :: B.ByteString -> (Ptr p -> IO a) -> IO a
value bytes call = B.unsafeUseAsCString bytes (call . castPtr)

unhex :: String -> B.ByteString
unhex (high : low : rest) = B.cons (fromIntegral (16 * digitToInt high + digitToInt low)) (unhex rest)
unhex _ = B.empty -- the end; `.` and `-` stand for no bytes

check :: String -> Bool -> IO ()
check what right = unless right (die ("failed: " ++ what))

-- | Keys, proof and output of a seed are those of the vector.
checkProver :: B.ByteString -> B.ByteString -> B.ByteString -> B.ByteString -> B.ByteString -> IO ()
checkProver seed key alpha proof output = do
  ((status, public), secret) <- value seed $ \from ->
    written signKeySize $ \sk -> written verKeySize $ \pk -> keypairFromSeed pk sk from
  check "keypair_from_seed" (status == 0 && public == key && secret == seed <> key)
  value secret $ \sk -> do
    halves <- (,) <$> written verKeySize (`skToPk` sk) <*> written seedSize (`skToSeed` sk)
    check "sk_to_pk, sk_to_seed" (halves == (((), key), ((), seed)))
    same <- (,) <$> written verKeySize (`skToPkStatus` sk) <*> written seedSize (`skToSeedStatus` sk)
    check "sk_to_pk, sk_to_seed with a status" (same == ((0, key), (0, seed)))
    made <- written proofSize $ \to -> message alpha (prove to sk)
    check "prove" (made == (0, proof))
  hashed <- value proof (written outputSize . flip proofToHash)
  check "proof_to_hash" (hashed == (0, output))

-- | The verdict is the vector's, and without a valid proof nothing is written.
checkVerifier :: B.ByteString -> B.ByteString -> B.ByteString -> Maybe B.ByteString -> Bool -> IO ()
checkVerifier key alpha proof output valid = do
  (status, result) <- value key $ \pk -> value proof $ \pi' -> written outputSize $ \to -> do
    fillBytes to 0xa5 (fromIntegral outputSize)
    message alpha (verify to pk pi')
  check "verify" (status == if valid then 0 else -1)
  check "the output of verify" (if valid then maybe True (== result) output else B.all (== 0xa5) result)

-- | Checks the vector of a line, and returns whether its proof was made again.
checkLine :: [String] -> IO Bool
checkLine [_, seed, key, alpha, proof, output, valid, _, _] = do
  checkVerifier (unhex key) (unhex alpha) (unhex proof) (unhex <$> given output) (valid == "1")
  case (given seed, given output, valid) of
    (Just from, Just proven, "1") ->
      True <$ checkProver (unhex from) (unhex key) (unhex alpha) (unhex proof) (unhex proven)
    _ -> pure False
  where
    given field = if field == "-" then Nothing else Just field
checkLine fields = die ("a line of nine fields expected: " ++ unwords fields)

-- | The calls take no sizes: cardano-base compares those of keys and proofs before.
isCallable :: [String] -> Bool
isCallable ("praos" : _ : key : _ : proof : _) =
  B.length (unhex key) == fromIntegral verKeySize && B.length (unhex proof) == fromIntegral proofSize
isCallable _ = False

-- | A new seed, which no vector has.
checkNew :: IO ()
checkNew = do
  ((), seed) <- written seedSize (`randomBytes` seedSize)
  ((_, key), secret) <- value seed $ \from ->
    written signKeySize $ \sk -> written verKeySize $ \pk -> keypairFromSeed pk sk from
  (made, proof) <- value secret $ \sk -> written proofSize $ \to -> message B.empty (prove to sk)
  (_, output) <- value proof (written outputSize . flip proofToHash)
  check "a new seed" (made == 0)
  checkVerifier key B.empty proof (Just output) True
  checkVerifier key (B.singleton 0) proof Nothing False

main :: IO ()
main = do
  [path] <- getArgs
  vectors <- filter isCallable . map words . lines <$> readFile path
  proven <- length . filter id <$> mapM checkLine vectors
  checkNew
  check "sizes" ([proofSize, bytesSize, verKeySize, signKeySize, seedSize, outputSize] == [80, 80, 32, 64, 32, 64])
  check "55 claims and 39 proofs" (length vectors >= 55 && proven >= 39)
  putStrLn ("haskell: " ++ show (length vectors) ++ " claims, " ++ show proven ++ " proofs: ok")
